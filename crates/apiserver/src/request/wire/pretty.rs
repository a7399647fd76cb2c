//! Pretty-printed JSON with one member per line (DISC-17).

use http::{HeaderMap, Response, header};
use kubewright_middleware::target::Query;

use super::body::ResponseBody;

/// The user agent prefixes of interactive programs.
const AGENTS: [&str; 3] = ["curl", "Wget", "Mozilla/5.0"];
const STEP: &[u8] = b"  ";

/// Returns true if an answer is to be pretty-printed: the query asks for it, or is silent and the client is an interactive program.
pub(in crate::request) fn is_wanted(query: &Query, headers: &HeaderMap) -> bool {
    if let Some(pretty) = query.get("pretty") {
        return matches!(pretty, "1" | "t" | "T" | "TRUE" | "true" | "True");
    }
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    AGENTS.iter().any(|prefix| agent.starts_with(prefix))
}

/// Pretty-prints the body of an answer, if it is complete and JSON.
pub(in crate::request) fn lay_out(response: &mut Response<ResponseBody>) {
    let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if content_type.is_some_and(|content_type| content_type.split(';').next() == Some("application/json")) {
        response.body_mut().rewrite(|body| indented(&body).into());
    }
}

/// Returns the same JSON with one member per line, in the same order.
fn indented(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() * 3 / 2);
    let mut depth = 0_usize;
    let mut rest = json;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => {
                let end = end_of_text(rest);
                out.push(b'"');
                out.extend_from_slice(&rest[..end]);
                rest = &rest[end..];
            }
            b'{' | b'[' => {
                out.push(*byte);
                rest = rest.trim_ascii_start();
                if let Some((close @ (b'}' | b']'), after)) = rest.split_first() {
                    out.push(*close);
                    rest = after;
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(*byte);
            }
            b',' => {
                out.push(b',');
                new_line(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            byte if byte.is_ascii_whitespace() => {}
            byte => out.push(*byte),
        }
    }
    out
}

/// Returns the end of a quoted text, behind its closing quote.
fn end_of_text(text: &[u8]) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'"' if !is_escaped => return at + 1,
            _ => is_escaped = *byte == b'\\' && !is_escaped,
        }
    }
    text.len()
}

fn new_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    (0..depth).for_each(|_| out.extend_from_slice(STEP));
}

#[cfg(test)]
mod tests {
    use super::*;

    // DISC-17
    #[test]
    fn members_stand_on_lines_of_their_own_in_their_order() {
        let json = br#"{"b":{"x":[],"y":{ }},"a":[1,"{,:\"}\\",null]}"#;
        let laid_out =
            "{\n  \"b\": {\n    \"x\": [],\n    \"y\": {}\n  },\n  \"a\": [\n    1,\n    \"{,:\\\"}\\\\\",\n    null\n  ]\n}";
        assert_eq!(String::from_utf8(indented(json)).unwrap(), laid_out);
        assert_eq!(indented(laid_out.as_bytes()), laid_out.as_bytes());
    }

    // DISC-17
    #[test]
    fn the_query_counts_before_the_program() {
        let wanted = |query: &str, agent: &'static str| {
            let headers = HeaderMap::from_iter([(header::USER_AGENT, http::HeaderValue::from_static(agent))]);
            is_wanted(&Query::parse(Some(query)), &headers)
        };
        for (query, agent, is_wanted) in [
            ("", "curl/8", true),
            ("", "Wget/1", true),
            ("", "Mozilla/5.0 (X11)", true),
            ("", "mozilla/4", false),
            ("", "kubectl/v1", false),
            ("pretty", "curl/8", true),
            ("pretty=false", "curl/8", false),
            ("pretty=zz", "curl/8", false),
            ("pretty=true", "kubectl/v1", true),
        ] {
            assert_eq!(wanted(query, agent), is_wanted, "{query} {agent}");
        }
    }
}
