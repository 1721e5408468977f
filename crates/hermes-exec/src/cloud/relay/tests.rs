//! The scripts, run by the bash of this machine in place of one elsewhere.

use hermes_process::{CaptureLimit, Command, Leftovers};

use super::*;

struct Here {
    folder: tempfile::TempDir,
    relay: Relay,
}

impl Here {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let relay = Relay::new(&folder.path().join("calls").display().to_string(), "1");
        Self { folder, relay }
    }

    async fn ask(&self, question: Question) -> String {
        let bash = Command::new("bash").args(["-c", &question.script]).cwd(self.folder.path());
        let bash = bash.env("PATH", "/usr/bin:/bin").leftovers(Leftovers::Keep);
        let bash = bash.capture(CaptureLimit::chars(8 << 20));
        bash.deadline(question.limit).run().await.unwrap().stdout.text()
    }

    async fn begin(&self, words: &[&str], input: RelayInput) -> Answer {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let granted = [("A_KEY".to_owned(), "it's".to_owned())];
        let command = RelayedCommand { words: &words, granted: &granted, input };
        let said = self.ask(self.relay.begin(&command, &[])).await;
        read_answer(&said, Fetched::default()).unwrap()
    }

    async fn put(&self, number: u64, piece: &[u8], is_last: bool) {
        let said = self.ask(self.relay.put(number, piece, is_last)).await;
        assert_eq!(read_put(&said), Ok(Put::Taken));
    }

    async fn rest(&self, mut answer: Answer) -> Answer {
        while answer.code.is_none() {
            let said = self.ask(self.relay.fetch(answer.fetched)).await;
            let next = read_answer(&said, answer.fetched).unwrap();
            answer.out.extend(next.out);
            answer.err.extend(next.err);
            (answer.fetched, answer.code) = (next.fetched, next.code);
        }
        answer
    }
}

#[tokio::test]
async fn a_quick_command_is_over_in_one_exchange() {
    let here = Here::new();
    let answer =
        here.begin(&["bash", "-c", "echo $A_KEY; echo no >&2; exit 3"], RelayInput::None).await;
    let answer = here.rest(answer).await;
    assert_eq!((&*answer.out, &*answer.err, answer.code), (&b"it's\n"[..], &b"no\n"[..], Some(3)));
}

#[tokio::test]
async fn input_goes_in_by_pieces_and_every_byte_comes_back() {
    let here = Here::new();
    let begun = here.begin(&["bash", "-c", "cat; exit 7"], RelayInput::Pieces).await;
    assert_eq!(begun, Answer::default());
    let piece: Vec<u8> = (0..=255).cycle().take(MOST_INPUT).collect();
    for number in 0..3 {
        here.put(number, &piece, false).await;
    }
    // Asked again because the answer was lost.
    here.put(2, &piece, false).await;
    here.put(3, b"end", true).await;
    let answer = here.rest(begun).await;
    assert_eq!(answer.out, [piece.repeat(3), b"end".to_vec()].concat());
    assert_eq!(answer.code, Some(7));
}

#[tokio::test]
async fn asked_twice_it_runs_once_and_answers_the_same() {
    let here = Here::new();
    let count = here.folder.path().join("count");
    let line = format!("echo x >>{}; echo said", count.display());
    let first = here.begin(&["bash", "-c", &line], RelayInput::None).await;
    let again = here.begin(&["bash", "-c", &line], RelayInput::None).await;
    assert_eq!(
        (here.rest(first).await.out, here.rest(again).await.out),
        (b"said\n".to_vec(), b"said\n".to_vec())
    );
    assert_eq!(std::fs::read_to_string(count).unwrap(), "x\n");
}

#[tokio::test]
async fn much_output_waits_to_be_fetched_and_none_is_missing() {
    let here = Here::new();
    let words = ["bash", "-c", "head -c 9000000 /dev/zero | tr '\\0' x; echo end"];
    let begun = here.begin(&words, RelayInput::None).await;
    let pieces = std::fs::read_dir(here.relay.folder()).unwrap().count();
    assert!(pieces < 90, "{pieces} files wait");
    let answer = here.rest(begun).await;
    assert_eq!(answer.out.len(), 9_000_004);
    assert!(answer.out.ends_with(b"xend\n"));
}

#[tokio::test]
async fn who_holds_the_output_open_does_not_delay_the_end_for_long() {
    let here = Here::new();
    let begun = std::time::Instant::now();
    let answer = here.begin(&["bash", "-c", "sleep 20 & echo done"], RelayInput::None).await;
    let answer = here.rest(answer).await;
    assert_eq!((&*answer.out, answer.code), (&b"done\n"[..], Some(0)));
    assert!(begun.elapsed() < Duration::from_secs(15));
}

#[tokio::test]
async fn given_up_it_sees_the_end_of_its_input_and_goes() {
    let here = Here::new();
    here.begin(&["bash", "-c", "cat >/dev/null; echo over"], RelayInput::Pieces).await;
    here.ask(here.relay.leave()).await;
    for _ in 0..200 {
        if !std::path::Path::new(here.relay.folder()).exists() {
            let said = here.ask(here.relay.fetch(Fetched::default())).await;
            assert_eq!(read_answer(&said, Fetched::default()), Err(NoAnswer::Lost));
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("its folder is still there");
}

#[tokio::test]
async fn a_terminal_has_the_size_that_was_asked_for() {
    let here = Here::new();
    let size = RelayInput::Terminal { rows: 30, columns: 120 };
    let begun = here
        .begin(
            &["bash", "-c", "test -t 0 && stty size; read -r word; echo got $word; exit 4"],
            size,
        )
        .await;
    here.put(0, b"plum\n", false).await;
    let answer = here.rest(begun).await;
    let text = String::from_utf8_lossy(&answer.out).into_owned();
    assert!(text.contains("30 120") && text.contains("got plum"), "{text:?}");
    assert_eq!(answer.code, Some(4));
}

#[test]
fn words_around_an_answer_do_not_matter_and_half_an_answer_is_none() {
    let whole = "Welcome!\nhermes-relay out 1\naGkK\nhermes-relay code 0\n";
    let answer = read_answer(whole, Fetched::default()).unwrap();
    assert_eq!((&*answer.out, answer.code, answer.fetched.out), (&b"hi\n"[..], Some(0), 1));
    for odd in ["", "hermes-relay out 1\naGkK\n", "hermes-relay out 1\na\nhermes-relay more\n", "x"]
    {
        assert!(matches!(read_answer(odd, Fetched::default()), Err(NoAnswer::Odd(_))), "{odd:?}");
    }
}

proptest::proptest! {
    #[test]
    fn no_answer_is_a_panic(text in "(hermes-relay |out |err |code |[0-9a-zA-Z=\\n ]){0,12}") {
        let _ = read_answer(&text, Fetched::default());
        let _ = read_put(&text);
    }
}
