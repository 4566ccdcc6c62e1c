//! Takes requests of batch capture and counts their events, as cheaply as can be: the sink must not be what is measured.
//! `sink LATENCY_MS` prints its port; `GET /stats` answers the counts and starts them anew.

use flate2::read::GzDecoder;
use memchr::memmem;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Duration;

#[derive(Default)]
struct Counts {
    requests: AtomicU64,
    events: AtomicU64,
    bytes: AtomicU64,
}

fn main() {
    let latency = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    println!("{}", listener.local_addr().expect("an address").port());
    let counts = Arc::new(Counts::default());
    for stream in listener.incoming().flatten() {
        let counts = counts.clone();
        std::thread::spawn(move || serve(stream, &counts, Duration::from_millis(latency)));
    }
}

fn serve(stream: TcpStream, counts: &Counts, latency: Duration) {
    stream.set_nodelay(true).ok();
    let Ok(mut output) = stream.try_clone() else { return };
    let mut input = BufReader::with_capacity(1 << 18, stream);
    let mut body = Vec::new();
    let mut unzipped = Vec::new();
    while let Some(head) = read_head(&mut input) {
        if head.expects_continue {
            output.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok();
        }
        if !read_body(&mut input, &head, &mut body) {
            return;
        }
        let answer = if head.is_stats {
            format!(
                "{{\"requests\":{},\"events\":{},\"bytes\":{}}}",
                counts.requests.swap(0, Relaxed),
                counts.events.swap(0, Relaxed),
                counts.bytes.swap(0, Relaxed)
            )
        } else {
            let zipped = body.starts_with(&[0x1f, 0x8b]);
            if zipped {
                unzipped.clear();
                GzDecoder::new(&body[..]).read_to_end(&mut unzipped).ok();
            }
            let text = if zipped { &unzipped } else { &body };
            counts.requests.fetch_add(1, Relaxed);
            counts.events.fetch_add(memmem::find_iter(text, b"\"event\":").count() as u64, Relaxed);
            counts.bytes.fetch_add(body.len() as u64, Relaxed);
            std::thread::sleep(latency);
            "{\"status\":\"Ok\"}".to_string()
        };
        let length = answer.len();
        let sent = write!(output, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{answer}");
        if sent.is_err() {
            return;
        }
    }
}

struct Head {
    length: usize,
    chunked: bool,
    expects_continue: bool,
    is_stats: bool,
}

fn read_head(input: &mut impl BufRead) -> Option<Head> {
    let mut head = Head { length: 0, chunked: false, expects_continue: false, is_stats: false };
    let mut line = String::new();
    for number in 0.. {
        line.clear();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if number == 0 {
            head.is_stats = line.starts_with("GET /stats");
        }
        let lower = line.trim().to_ascii_lowercase();
        if lower.is_empty() {
            break;
        }
        if let Some(value) = lower.strip_prefix("content-length:") {
            head.length = value.trim().parse().ok()?;
        }
        head.chunked |= lower.starts_with("transfer-encoding:") && lower.contains("chunked");
        head.expects_continue |= lower.starts_with("expect:");
    }
    Some(head)
}

fn read_body(input: &mut impl BufRead, head: &Head, body: &mut Vec<u8>) -> bool {
    body.clear();
    if !head.chunked {
        body.resize(head.length, 0);
        return input.read_exact(body).is_ok();
    }
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line).is_err() {
            return false;
        }
        let Ok(size) = usize::from_str_radix(line.trim(), 16) else { return false };
        let start = body.len();
        body.resize(start + size, 0);
        if input.read_exact(&mut body[start..]).is_err() || input.read_line(&mut line).is_err() {
            return false;
        }
        if size == 0 {
            return true;
        }
    }
}
