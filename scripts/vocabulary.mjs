/**
 * The vocabulary of docs/design/glossary.md as patterns: each word that is not ours, and the words to
 * take in its place.
 */

/** Words that neither documents, comments nor titles of tests use. */
export const WORDS = [
  [/\blicenc/i, 'license'],
  [/organis/i, 'organize'],
  [/\bcolour/i, 'color'],
  [/\b(?:recogn|author|initial|summar|normal)is(?:e|ing)/i, '-ize'],
  [/\bbehaviour/i, 'behavior'],
  [/\bcatalogue/i, 'catalog'],
  [/\banew\b/i, 'again, rebuilt'],
  [/\b(?:whoever|whosoever|whomever)\b/i, 'a person who, people who'],
  [/\b(?:therein|thereof|whence|hence|oneself)\b/i, 'plain words'],
  [/(?:^|[.:;] |- )Of \p{Ll}/mu, 'a sentence that begins with its subject'],
  [/(?:^|[.:;] |- )(?:Who|Whose) \p{Ll}[^?]*?\./mu, 'people who, a person whose'],
]

/** Words that comments and titles of tests do not use either. */
export const CODE_WORDS = [
  [/\b(?:is|are|was|were|be|been|gets?|got) told\b(?! apart)/i, 'reported, shown, logged, sees'],
  [/\btold (?:of|by|in|what|who|why|where)\b/i, 'reported, shown, logged'],
  [
    /(?<!\b(?:under|with))\bstands? (?:in|at|on|there|beside|before|behind|after|between|for|under|below|above|where)\b/i,
    'is',
  ],
  [/\b(?:can|may|must|could) be had\b/i, 'is available'],
]

/** Beginnings of comments and titles that hide the subject of the sentence. */
export const BEGINNINGS = [[/^(?:whatever|who|whose|of|what (?:is|was|has|an?|the)|where it)\b[^?]*$/i, 'its subject']]

/** Names that are neither nouns nor verbs of the field. */
export const NAMES = [
  [/\b(?:told|Told\w*|isToldOf\w*|teller|tellOf\w*|Tell)\b/, 'report, notify, log'],
  [/\b(?:Wish|wishOf|ClientWishes|wish|wishes)\b/, 'request'],
  [/\b(?:Handed\w*|Hands|hands|mayHand\w*)\b/, 'issued, given, passed'],
  [/\b(?:isOfBefore|endWhereNoneIsLeft|endWhere\w+|Said|said|whatLeavingEnds)\b/, 'a noun or a verb of the field'],
]
