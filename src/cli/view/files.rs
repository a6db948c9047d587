//! The files of the page, which are part of the tool.

/// A file of the folder `page`.
#[derive(Debug, PartialEq)]
pub(super) struct File {
    /// Path within the folder.
    pub(super) name: &'static str,
    pub(super) bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The file of this name.
pub(super) fn find(name: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.name == name)
}

impl File {
    /// What browsers take it for.
    pub(super) fn media_type(&self) -> &'static str {
        match self.name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            _ => "application/octet-stream",
        }
    }

    /// The text of a file that is no picture.
    pub(super) fn text(&self) -> &'static str {
        std::str::from_utf8(self.bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_there_and_is_utf_8() {
        assert!(find("index.html").is_some() && find("../mod.rs").is_none() && find("").is_none());
        for file in &FILES {
            assert_ne!(file.media_type(), "application/octet-stream", "{}", file.name);
            assert!(file.name.ends_with(".png") || !file.text().is_empty(), "{}", file.name);
        }
    }
}
