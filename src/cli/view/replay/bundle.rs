//! Modules of the page as one script: a page from a disk may not load modules.

use std::collections::HashMap;

/// A module in parts.
#[derive(Debug, PartialEq)]
struct Module {
    /// Names of imported modules with what is imported, such as `a, b: c`.
    imports: Vec<(String, String)>,
    exports: Vec<String>,
    /// The text without imports, and without the word `export`.
    body: String,
}

/// One script of a module and all that it imports; `text` gives the text of a module by its name.
///
/// A module becomes a function that returns its exports, so that names of different modules do not meet.
pub(super) fn bundle(main: &str, text: &dyn Fn(&str) -> &'static str) -> Result<String, String> {
    let mut bundle = Bundle { text, numbers: HashMap::new(), path: Vec::new(), script: String::new() };
    bundle.add(main)?;
    Ok(bundle.script)
}

struct Bundle<'a> {
    text: &'a dyn Fn(&str) -> &'static str,
    /// Modules that have been added.
    numbers: HashMap<String, usize>,
    /// Modules whose imports are being added.
    path: Vec<String>,
    script: String,
}

impl Bundle<'_> {
    /// Adds a module after those that it imports, and gives its number.
    fn add(&mut self, name: &str) -> Result<usize, String> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        if self.path.iter().any(|above| above == name) {
            return Err(format!("{name} imports itself by way of {}", self.path.join(", ")));
        }
        let text = (self.text)(name);
        if text.is_empty() {
            return Err(format!("there is no module {name}"));
        }
        let module = parse(text).map_err(|reason| format!("{name}: {reason}"))?;
        self.path.push(name.to_owned());
        let mut imports = String::new();
        for (other, names) in &module.imports {
            let number = self.add(&resolve(name, other)?)?;
            imports += &format!("const {{ {names} }} = $m{number};\n");
        }
        self.path.pop();
        let number = self.numbers.len();
        self.numbers.insert(name.to_owned(), number);
        let exports = module.exports.join(", ");
        self.script += &format!(
            "// {name}\nconst $m{number} = (() => {{\n{imports}{}\nreturn {{ {exports} }};\n}})();\n",
            module.body
        );
        Ok(number)
    }
}

/// The name of a module that `from` imports as `path`.
fn resolve(from: &str, path: &str) -> Result<String, String> {
    let mut folders: Vec<&str> = from.split('/').collect();
    folders.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(folders.pop().ok_or(format!("{from}: {path} is outside of the page"))?),
            other => folders.push(other),
        }
    }
    Ok(folders.join("/"))
}

fn parse(text: &str) -> Result<Module, String> {
    for refused in
        ["</script", "import.meta", "import(", "export default", "export {", "export *", "export let"]
    {
        if text.contains(refused) {
            return Err(format!("{refused} cannot be part of a replay"));
        }
    }
    let mut module = Module { imports: Vec::new(), exports: Vec::new(), body: String::new() };
    let mut rest = text;
    while !rest.is_empty() {
        if rest.starts_with("import ") {
            let end = rest.find(';').ok_or("an import without a semicolon")?;
            module.imports.push(parse_import(&rest[..end])?);
            rest = rest[end + 1..].trim_start_matches('\n');
            continue;
        }
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        if let Some(declaration) = line.strip_prefix("export ") {
            module.exports.push(declared(declaration)?);
            module.body += declaration;
        } else {
            module.body += line;
        }
        module.body.push('\n');
    }
    Ok(module)
}

/// `import { a, b as c } from './x.js'` as its path and `a, b: c`.
fn parse_import(statement: &str) -> Result<(String, String), String> {
    let bad = || format!("not a plain import: {statement}");
    let (names, path) =
        statement.split_once('{').and_then(|(_, rest)| rest.split_once('}')).ok_or_else(bad)?;
    let path = path.trim().strip_prefix("from").ok_or_else(bad)?.trim();
    let path = path.trim_matches(['\'', '"']);
    if !path.starts_with("./") && !path.starts_with("../") {
        return Err(bad());
    }
    let names: Vec<String> = names
        .split(',')
        .map(|name| name.trim().replace(" as ", ": "))
        .filter(|name| !name.is_empty())
        .collect();
    Ok((path.to_owned(), names.join(", ")))
}

/// The name that a declaration introduces.
fn declared(declaration: &str) -> Result<String, String> {
    let kinds = ["async function* ", "async function ", "function* ", "function ", "class ", "const "];
    let rest = kinds.iter().find_map(|kind| declaration.strip_prefix(kind));
    let name: String = rest
        .unwrap_or_default()
        .chars()
        .take_while(|letter| letter.is_alphanumeric() || ['_', '$'].contains(letter))
        .collect();
    if name.is_empty() { Err(format!("not a plain export: {declaration}")) } else { Ok(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(name: &str) -> &'static str {
        match name {
            "main.js" => {
                "import { twice } from './math/twice.js';\nimport {\n  one as unit,\n  two,\n} from './one.js';\nconst x = 1;\nrun(twice(unit + two + x));\n"
            }
            "math/twice.js" => {
                "import { two } from '../one.js';\nconst x = two;\nexport function twice(y) {\n  return x * y;\n}\n"
            }
            "one.js" => {
                "export const one = 1;\nexport const two = 2;\nexport class Three {}\nexport async function four() {}\n"
            }
            "a.js" => "import { b } from './b.js';\nexport const a = b;\n",
            "b.js" => "import { a } from './a.js';\nexport const b = a;\n",
            "default.js" => "export default 3;\n",
            "outside.js" => "import { a } from '../a.js';\n",
            "bare.js" => "import { a } from 'a';\n",
            _ => "",
        }
    }

    #[test]
    fn modules_come_after_what_they_import() {
        let script = bundle("main.js", &texts).unwrap();
        let at = |text: &str| script.find(text).unwrap_or_else(|| panic!("{text} in {script}"));
        assert!(at("// one.js") < at("// math/twice.js") && at("// math/twice.js") < at("// main.js"));
        assert!(at("const { two } = $m0;") < at("const { one: unit, two } = $m0;"));
        assert!(
            script.contains("return { one, two, Three, four };") && script.contains("const { twice } = $m1;")
        );
        assert!(!script.contains("import ") && !script.contains("export "));
        assert_eq!(script.matches("// one.js").count(), 1);
    }

    #[test]
    fn what_cannot_be_bundled_is_named() {
        for (name, reason) in [
            ("a.js", "imports itself"),
            ("default.js", "export default"),
            ("outside.js", "outside"),
            ("bare.js", "not a plain import"),
            ("missing.js", "no module"),
        ] {
            let error = bundle(name, &texts).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn the_page_can_be_bundled() {
        use crate::cli::view::files;
        if files::find("replay.js").is_some() {
            bundle("replay.js", &|name| files::find(name).map_or("", files::File::text)).unwrap();
        }
    }
}
