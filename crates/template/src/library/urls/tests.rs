use serde_json::json;

use crate::library::fake::{call, check_errors, check_results};

/// Returns the parts of a URL that are not empty, in the order of their names.
fn parts(url: &str) -> String {
    match call("urlParse", [url.into()]) {
        Ok(crate::value::GoValue::Map(map)) => {
            let shown = |(key, value): (crate::value::GoString, crate::value::GoValue)| match value {
                crate::value::GoValue::String(text) if !text.is_empty() => Some(format!("{}={}", key.to_text(), text.to_text())),
                _ => None,
            };
            map.entries().into_iter().filter_map(shown).collect::<Vec<_>>().join(" ")
        }
        Ok(other) => panic!("{other:?}"),
        Err(problem) => problem,
    }
}

#[test]
fn urls_are_parsed() {
    for (url, expected) in [
        (
            "http://admin:secret@server.com:8080/api?list=false#anchor",
            "fragment=anchor host=server.com:8080 hostname=server.com path=/api query=list=false scheme=http userinfo=admin:secret",
        ),
        ("https://h/a%20b?q=%2F", "host=h hostname=h path=/a b query=q=%2F scheme=https"),
        ("mailto:x@y.z", "opaque=x@y.z scheme=mailto"),
        ("/rel/path", "path=/rel/path"),
        ("redis://:pw@h:6379/0", "host=h:6379 hostname=h path=/0 scheme=redis userinfo=:pw"),
        ("http://[fe80::1%25en0]:80/", "host=[fe80::1%en0]:80 hostname=fe80::1%en0 path=/ scheme=http"),
        ("mongodb://a:1,b:2/db", "host=a:1,b:2 hostname=a:1,b path=/db scheme=mongodb"),
        ("HTTP://h?", "host=h hostname=h scheme=http"),
        ("//h/p", "host=h hostname=h path=/p"),
        ("///p", "path=///p"),
        ("*", "path=*"),
        ("", ""),
        ("a b", "path=a b"),
        ("http://u%40:p%2f@h", "host=h hostname=h scheme=http userinfo=u%40:p%2F"),
    ] {
        assert_eq!(parts(url), expected, "{url}");
    }
}

#[test]
fn texts_that_are_no_urls_are_errors() {
    for (url, expected) in [
        ("::bad", "missing protocol scheme"),
        ("a:b:c/d", ""),
        ("1a:b", "first path segment in URL cannot contain colon"),
        ("http://h:x/", "invalid port \":x\" after host"),
        ("http://h/%zz", "invalid URL escape \"%zz\""),
        ("http://h/%4", "invalid URL escape \"%4\""),
        ("http://a b/", "invalid character \" \" in host name"),
        ("http://%41/", "invalid URL escape \"%41\""),
        ("http://[::1/", "missing ']' in host"),
        ("http://a[::1]/", "invalid IP-literal"),
        ("http://u ser@h/", "net/url: invalid userinfo"),
        ("a\nb", "net/url: invalid control character in URL"),
    ] {
        let expected = match expected {
            "" => "opaque=b:c/d scheme=a".to_owned(),
            problem => format!("unable to parse url: parse {url:?}: {problem}"),
        };
        assert_eq!(parts(url), expected, "{url}");
    }
}

#[test]
fn urls_are_joined() {
    check_results([
        (
            "urlJoin",
            json!([{"scheme": "http", "host": "h:80", "path": "/path", "query": "q", "fragment": "f g", "userinfo": "u:p", "opaque": ""}]),
            "http://u:p@h:80/path?q#f%20g",
        ),
        ("urlJoin", json!([{"scheme": "http", "host": "h", "path": "p"}]), "http://h/p"),
        ("urlJoin", json!([{"scheme": "mailto", "opaque": "x@y"}]), "mailto:x@y"),
        ("urlJoin", json!([{"scheme": "file", "path": "/p?"}]), "file:///p%3F"),
        ("urlJoin", json!([{"path": "a:b/c"}]), "./a:b/c"),
        ("urlJoin", json!([{}]), ""),
        ("urlJoin", json!([null]), ""),
    ]);
    check_errors([
        ("urlJoin", json!([{"host": 1}]), "unable to parse host key, must be of type string, but int found"),
        ("urlJoin", json!([{"host": null}]), "runtime error: invalid memory address or nil pointer dereference"),
        (
            "urlJoin",
            json!([{"userinfo": "a b"}]),
            "unable to parse userinfo in dict: parse \"proto://a b@host\": net/url: invalid userinfo",
        ),
    ]);
}
