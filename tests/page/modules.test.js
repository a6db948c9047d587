// The rules that let all modules of a replay stand in one script, and the content security policy be strict.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../src/cli/view/page/', import.meta.url));
const read = (name) => readFileSync(FOLDER + name, 'utf8');
const modules = readdirSync(FOLDER, { recursive: true }).filter((name) => name.endsWith('.js'));

const IMPORT = /^import \{([^}]*)\} from '(\.\.?\/[\w./]+)';$/gm;
const EXPORT = /^export (?:async )?(?:function|class|const) (\w+)/gm;

const imports = (name) => [...read(name).matchAll(IMPORT)].map(([, names, from]) => ({
  from: posix.join(posix.dirname(name), from),
  names: names.split(',').map((word) => word.trim().split(' as ')[0]).filter((word) => word !== ''),
}));
const exported = (name) => new Set([...read(name).matchAll(EXPORT)].map(([, word]) => word));

test('imports are relative, static and named, exports are declarations', () => {
  assert.ok(modules.length > 20);
  for (const name of modules) {
    const text = read(name);
    const lines = (start) => text.match(new RegExp(`^\\s*${start}\\b`, 'gm'))?.length ?? 0;
    assert.equal(lines('import'), [...text.matchAll(IMPORT)].length, `an import of ${name} has another form`);
    assert.equal(lines('export'), [...text.matchAll(EXPORT)].length, `an export of ${name} has another form`);
    assert.ok(!/import\.meta|import\(|<\/script|^await /m.test(text), name);
  }
});

test('what is imported is exported, and used', () => {
  for (const name of modules) {
    for (const { from, names } of imports(name)) {
      assert.ok(modules.includes(from), `${name} imports ${from}`);
      for (const word of names) {
        assert.ok(exported(from).has(word), `${from} does not export ${word}, which ${name} imports`);
        assert.ok(read(name).match(new RegExp(`\\b${word}\\b`, 'g')).length > 1, `${name} does not use ${word}`);
      }
    }
  }
});

test('no module needs itself', () => {
  const visit = (name, above) => {
    assert.ok(!above.includes(name), [...above, name].join(' > '));
    for (const { from } of imports(name)) visit(from, [...above, name]);
  };
  for (const start of ['main.js', 'replay.js']) visit(start, []);
});

test('every module belongs to a page', () => {
  const reached = new Set();
  const visit = (name) => {
    reached.add(name);
    for (const { from } of imports(name)) if (!reached.has(from)) visit(from);
  };
  visit('main.js');
  visit('replay.js');
  assert.deepEqual(modules.filter((name) => !reached.has(name)), []);
});

test('the pages have no inline script and no inline style, and fetch nothing from elsewhere', () => {
  for (const name of ['index.html', 'replay.html']) {
    const text = read(name);
    assert.ok(!/ style=| on\w+=|<style|javascript:|https?:/.test(text), name);
  }
  assert.deepEqual([...read('index.html').matchAll(/(?:src|href)="([^"#]*)"/g)].map(([, address]) => address), ['icon.svg', 'style.css', 'main.js']);
  assert.ok(!/@import|url\(/.test(read('style.css')));
  for (const name of modules) assert.ok(!/setAttribute\('style'|innerHTML|eval\(|https?:\/\/(?!www\.w3\.org)/.test(read(name)), name);
});

test('the page of a replay has the three places that the tool fills', () => {
  for (const place of ['style', 'data', 'script']) assert.equal(read('replay.html').split(`<!-- carom:${place} -->`).length, 2);
});

test('ids are used once, and every control has a label', () => {
  for (const name of ['index.html', 'replay.html']) {
    const text = read(name);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, name);
    for (const [tag, id] of text.matchAll(/<(?:input|select)[^>]* id="([^"]+)"[^>]*>/g)) {
      const inside = new RegExp(`<label[^>]*>(?:(?!</label>)[\\s\\S])*id="${id}"`).test(text);
      assert.ok(inside || text.includes(`for="${id}"`), `${name}: ${tag}`);
    }
    for (const [, id] of text.matchAll(/<label[^>]* for="([^"]+)"/g)) assert.ok(ids.includes(id), id);
  }
});

test('an icon that is used is there', () => {
  for (const name of ['index.html', 'replay.html']) {
    const text = read(name);
    for (const [, id] of text.matchAll(/href="#([\w-]+)"/g)) assert.ok(text.includes(`<symbol id="${id}"`), id);
  }
});
