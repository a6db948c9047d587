import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  axisUnit, count, niceStep, parseNumber, plain, roundDown, scaleBar, si, sliderToSpeed, speedLabel, speedToSlider, tickLabel, ticks,
} from '../../src/cli/view/page/data/units.js';

test('a prefix makes numbers readable', () => {
  assert.equal(si(0.0123, 'm'), '12.30 mm');
  assert.equal(si(1500, 'm'), '1.500 km');
  assert.equal(si(-0.5, 'm/s'), '−500.0 mm/s');
  assert.equal(si(2.5e-7, 'J', 3), '250 nJ');
  assert.equal(si(3, 'N s', 3), '3.00 N s');
});

test('rounding up to a thousand changes the prefix', () => {
  assert.equal(si(0.99996, 'm'), '1.000 m');
  assert.equal(si(999.96, 'm'), '1.000 km');
  assert.equal(si(0.00099999, 's', 3), '1.00 ms');
});

test('units that take no prefix, long times and masses stay as they are', () => {
  assert.equal(si(0.01, 'm²'), '0.01000 m²');
  assert.equal(si(43200, 's'), '43200 s');
  assert.equal(si(2e-7, 'kg m²/s', 2), '2.0×10⁻⁷ kg m²/s');
  assert.equal(si(0.17, 'kg'), '170.0 g');
  assert.equal(si(1e-6, 'kg', 2), '1.0 mg');
  assert.equal(si(2500, 'kg'), '2500 kg');
});

test('what is no number is a dash, zero has its unit', () => {
  assert.equal(si(null, 'm'), '–');
  assert.equal(si(undefined, 'm'), '–');
  assert.equal(si(NaN, 'J'), '–');
  assert.equal(si(0, 'J'), '0 J');
  assert.equal(si(0, 'kg'), '0 kg');
  assert.equal(si(Infinity, 'm'), '∞ m');
});

test('plain numbers and counts', () => {
  assert.equal(plain(1234.5678, 6), '1234.57');
  assert.equal(plain(-2.2e-16, 2), '−2.2×10⁻¹⁶');
  assert.equal(plain(1.5e12, 2), '1.5×10¹²');
  assert.equal(plain(Infinity), '∞');
  assert.equal(count(1234567), '1 234 567');
  assert.equal(count(12), '12');
});

test('steps and ticks are round', () => {
  assert.equal(niceStep(1, 5), 0.2);
  assert.equal(niceStep(7, 5), 2);
  assert.equal(niceStep(0, 5), 1);
  assert.equal(roundDown(0.17), 0.1);
  assert.equal(roundDown(70), 50);
  assert.equal(roundDown(1), 1);
  assert.deepEqual(ticks(0, 1, 4), [0, 0.5, 1]);
  assert.deepEqual(ticks(-1.2, 1.2, 3).map((x) => x + 0), [-1, 0, 1]);
  assert.equal(tickLabel(0.30000000000000004, 0.1), '0.3');
  assert.equal(tickLabel(-2, 1), '−2');
  assert.equal(tickLabel(1e-17, 0.1), '0');
  assert.equal(tickLabel(2500000, 500000), '2.5×10⁶');
});

test('the scale bar is round and not too long', () => {
  const bar = scaleBar(345, 160);
  assert.equal(bar.length, 0.2);
  assert.equal(bar.label, '200 mm');
  assert.ok(bar.pixels <= 160 && bar.pixels > 160 / 2.5 - 1);
  assert.deepEqual(axisUnit(0.012, 'm'), { factor: 1000, symbol: 'mm' });
  assert.deepEqual(axisUnit(5, 'K m'), { factor: 1, symbol: 'K m' });
});

test('the slider of speeds goes from a thousandth to as fast as it can and back', () => {
  assert.equal(sliderToSpeed(0), 0.001);
  assert.equal(sliderToSpeed(0.49), 1);
  assert.equal(sliderToSpeed(0.98), 1000);
  assert.equal(sliderToSpeed(1), Infinity);
  for (const speed of [0.001, 0.01, 0.5, 1, 40, 1000, Infinity]) assert.equal(sliderToSpeed(speedToSlider(speed)), speed);
  assert.equal(speedLabel(Infinity), 'max');
  assert.equal(speedLabel(0.25), '0.25×');
});

test('what is typed is a number or nothing', () => {
  assert.equal(parseNumber(' -1.5e-3 '), -0.0015);
  assert.equal(parseNumber('−2'), -2);
  assert.equal(parseNumber('.5'), 0.5);
  assert.equal(parseNumber('1e999'), Infinity);
  assert.ok(Number.isNaN(parseNumber('NaN')));
  assert.equal(parseNumber('-inf'), -Infinity);
  for (const bad of ['', 'one', '1,5', '1 2', '0x10', '--1', 'e5']) assert.equal(parseNumber(bad), null);
});
