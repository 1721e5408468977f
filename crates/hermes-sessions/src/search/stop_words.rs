//! Stop words: in every other sentence, and so without a word on what a sentence is about.
//!
//! They are looked for like any other word while all words are wanted. Where any word is enough, a message
//! that only holds `the` is no answer to `the invoice from Lisbon`.

/// Articles, pronouns, prepositions, auxiliaries and question words, by language.
const STOP_WORDS: [&str; 4] = [
    "a about after again all also am an and any are as at be because been before being but by can could \
     did do does doing don't for from get got had has have having he her here hers him his how i if in \
     into is it it's its just let me more most my no not of off on once only or other our out over own \
     please same she should so some such than that the their them then there these they this those \
     through to too under until up us very was we were what when where which while who whom why will \
     with would you your",
    "aber als am an auch auf aus bei bin bis da das dass dem den der des die doch du durch ein eine \
     einem einen einer er es für habe haben hat hatte ich ihr im in ist ja kann können man mein mir mit \
     nach nein nicht noch nur ob oder sein sich sie sind so über um und uns vom von vor war waren was \
     wenn wer wie wir wird wo zu zum zur",
    "au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur lui ma mais mes moi \
     mon ne nos notre nous on ou où par pas pour qu que qui sa se ses son sur ta te tes toi ton tu un une \
     vos votre vous",
    "al como con de del el ella ellos en entre era es esta este esto la las le les lo los me mi muy más \
     nos o para pero por que qué se si sin sobre son su sus también te tu un una uno y ya yo",
];

/// Whether a word is one of them, in any case of letters.
pub(super) fn is_stop_word(word: &str) -> bool {
    let word = word.to_lowercase().replace('\u{2019}', "'");
    STOP_WORDS.iter().any(|words| words.split_whitespace().any(|stop| stop == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_known_in_any_case_and_names_are_not_among_them() {
        assert!(
            ["the", "The", "WAS", "und", "qui", "también", "don\u{2019}t"]
                .iter()
                .all(|w| is_stop_word(w))
        );
        assert!(
            ["go", "ci", "invoice", "C", "X", "", "the invoice"].iter().all(|w| !is_stop_word(w))
        );
    }
}
