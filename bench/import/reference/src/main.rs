//! What a few lines of Rust do: every line parsed and validated with serde, a uuid from a hash of its content, the
//! original bytes of its properties sent. `import-reference FILE PORT gzip|plain`

use flate2::{write::GzEncoder, Compression};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_128;

const BATCH_BYTES: usize = 1 << 20;
const SENDERS: usize = 4;
const HEAD: &[u8] = b"{\"api_key\":\"phc_bench\",\"historical_migration\":true,\"batch\":[";

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    #[serde(borrow)]
    properties: &'a RawValue,
}

#[derive(Deserialize)]
struct Properties<'a> {
    #[serde(borrow)]
    distinct_id: Cow<'a, str>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (file, port, gzip) = (&arguments[1], arguments[2].clone(), arguments[3] == "gzip");
    let begun = Instant::now();
    let (sender, receiver) = sync_channel::<Vec<u8>>(SENDERS);
    let receiver = Arc::new(Mutex::new(receiver));
    let senders: Vec<_> = (0..SENDERS)
        .map(|_| {
            let (receiver, port) = (receiver.clone(), port.clone());
            std::thread::spawn(move || send(&receiver, &port, gzip))
        })
        .collect();
    let mut events = 0u64;
    let mut invalid = 0u64;
    let mut body = new_body();
    let mut line = Vec::new();
    let mut input = BufReader::with_capacity(1 << 20, File::open(file).expect("the file"));
    while input.read_until(b'\n', &mut line).expect("a line") > 0 {
        let end = body.len();
        if append(&line, &mut body).is_some() {
            events += 1;
        } else {
            body.truncate(end);
            invalid += 1;
        }
        line.clear();
        if body.len() >= BATCH_BYTES {
            sender.send(finish(std::mem::replace(&mut body, new_body()))).expect("a sender");
        }
    }
    if body.len() > HEAD.len() {
        sender.send(finish(body)).expect("a sender");
    }
    drop(sender);
    for one in senders {
        one.join().expect("a sender");
    }
    report(begun.elapsed().as_secs_f64(), events, invalid);
}

fn new_body() -> Vec<u8> {
    let mut body = Vec::with_capacity(BATCH_BYTES + 65536);
    body.extend_from_slice(HEAD);
    body
}

fn finish(mut body: Vec<u8>) -> Vec<u8> {
    body.extend_from_slice(b"]}");
    body
}

fn append(line: &[u8], body: &mut Vec<u8>) -> Option<()> {
    let event: Event = serde_json::from_slice(line).ok()?;
    let properties: Properties = serde_json::from_str(event.properties.get()).ok()?;
    if event.event.is_empty() || properties.distinct_id.is_empty() || properties.distinct_id.len() > 200 {
        return None;
    }
    if !is_time(event.timestamp.as_bytes()) {
        return None;
    }
    if body.len() > HEAD.len() {
        body.push(b',');
    }
    let start = body.len();
    write!(body, "{{\"event\":{},\"timestamp\":\"{}\",\"properties\":", serde_json::to_string(&event.event).ok()?, event.timestamp).ok()?;
    body.extend_from_slice(event.properties.get().as_bytes());
    let hash = xxh3_128(&body[start..]);
    let (a, b) = ((hash >> 64) as u64, hash as u64);
    write!(
        body,
        ",\"uuid\":\"{:08x}-{:04x}-8{:03x}-a{:03x}-{:012x}\"}}",
        a >> 32, (a >> 16) & 0xffff, a & 0xfff, b >> 52, b & 0xffff_ffff_ffff
    )
    .ok()
}

/// 2023-01-31T12:34:56[.123](Z|+01:00)
fn is_time(text: &[u8]) -> bool {
    let digits = |from: usize, to: usize| text[from..to].iter().all(u8::is_ascii_digit);
    text.len() >= 20
        && digits(0, 4) && text[4] == b'-' && digits(5, 7) && text[7] == b'-' && digits(8, 10)
        && text[10] == b'T' && digits(11, 13) && text[13] == b':' && digits(14, 16) && text[16] == b':' && digits(17, 19)
        && (text.ends_with(b"Z") || text[text.len() - 6] == b'+' || text[text.len() - 6] == b'-')
}

fn send(receiver: &Mutex<Receiver<Vec<u8>>>, port: &str, gzip: bool) {
    let stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("the sink");
    stream.set_nodelay(true).ok();
    let mut answers = BufReader::new(stream.try_clone().expect("the stream"));
    let mut stream = stream;
    loop {
        let next = receiver.lock().expect("the queue").recv();
        let Ok(body) = next else { return };
        let body = if gzip { compress(&body) } else { body };
        write!(stream, "POST /batch/ HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len()).expect("a request");
        stream.write_all(&body).expect("a request");
        read_answer(&mut answers);
    }
}

fn compress(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    encoder.write_all(body).expect("gzip");
    encoder.finish().expect("gzip")
}

fn read_answer(answers: &mut impl BufRead) {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        answers.read_line(&mut line).expect("an answer");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line.trim().is_empty() {
            break;
        }
        assert!(!line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.1 200"), "{line}");
    }
    let mut text = vec![0; length];
    answers.read_exact(&mut text).expect("an answer");
}

fn report(seconds: f64, events: u64, invalid: u64) {
    // SAFETY: getrusage fills the struct it is given.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let time = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    println!(
        "{{\"seconds\":{seconds},\"events\":{events},\"invalid\":{invalid},\"cpuSeconds\":{},\"peakMb\":{}}}",
        time(usage.ru_utime) + time(usage.ru_stime),
        usage.ru_maxrss as f64 / 1024.0
    );
}
