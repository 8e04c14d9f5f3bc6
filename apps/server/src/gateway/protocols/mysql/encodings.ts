/** Names of MySQL's character sets that have another among the web's; what is not here is read as UTF-8. */
export const ENCODINGS: Readonly<Record<string, string>> = {
  big5: 'big5',
  cp1250: 'windows-1250',
  cp1251: 'windows-1251',
  cp1256: 'windows-1256',
  cp1257: 'windows-1257',
  cp866: 'ibm866',
  cp932: 'shift_jis',
  eucjpms: 'euc-jp',
  euckr: 'euc-kr',
  gb18030: 'gb18030',
  gb2312: 'gbk',
  gbk: 'gbk',
  greek: 'iso-8859-7',
  hebrew: 'iso-8859-8',
  koi8r: 'koi8-r',
  koi8u: 'koi8-u',
  latin1: 'latin1',
  latin2: 'iso-8859-2',
  latin5: 'windows-1254',
  latin7: 'iso-8859-13',
  sjis: 'shift_jis',
  tis620: 'windows-874',
  ujis: 'euc-jp',
}

/** Numbers of the collations of those character sets (`information_schema.COLLATIONS`). */
const COLLATIONS: readonly (readonly [name: string, numbers: readonly number[]])[] = [
  ['big5', [1, 84]],
  ['cp1250', [26, 34, 44, 66, 99]],
  ['cp1251', [14, 23, 50, 51, 52]],
  ['cp1256', [57, 67]],
  ['cp1257', [29, 58, 59]],
  ['cp866', [36, 68]],
  ['cp932', [95, 96]],
  ['eucjpms', [97, 98]],
  ['euckr', [19, 85]],
  ['gb18030', [248, 249, 250]],
  ['gb2312', [24, 86]],
  ['gbk', [28, 87]],
  ['greek', [25, 70]],
  ['hebrew', [16, 71]],
  ['koi8r', [7, 74]],
  ['koi8u', [22, 75]],
  ['latin1', [5, 8, 15, 31, 47, 48, 49, 94]],
  ['latin2', [2, 9, 21, 27, 77]],
  ['latin5', [30, 78]],
  ['latin7', [20, 41, 42, 79]],
  ['sjis', [13, 88]],
  ['tis620', [18, 89]],
  ['ujis', [12, 91]],
]

/** The character set of a collation; `utf8mb4` for those that are read as UTF-8. */
export function characterSetOf(collation: number): string {
  return COLLATIONS.find(([, numbers]) => numbers.includes(collation))?.[0] ?? 'utf8mb4'
}

const SET_CHARACTERS =
  /\bset\s+(?:(?:session|local)\s+)?(?:names|char(?:acter)?\s*set|@@(?:session\.|local\.)?character_set_client\s*:?=|character_set_client\s*:?=)\s*['"]?(\w+)/gi

/** The character set that a statement says its client will write in; undefined where it says none. */
export function characterSetIn(statement: string): string | undefined {
  return [...statement.matchAll(SET_CHARACTERS)].at(-1)?.[1]?.toLowerCase()
}

/** Nothing but that, with a name that is no expression. What is marked for versions of long ago is run by all. */
const SETS_ALONE =
  /^\s*(?:\/\*!4\d{4}\s+)?set\s+(?:(?:session|local)\s+)?(?:names|char(?:acter)?\s*set|(?:@@(?:session\.|local\.)?)?character_set_client\s*:?=)\s*(?!default\b)(?:'\w+'|"\w+"|\w+)(?:\s+collate\s+['"]?\w+['"]?)?\s*(?:\*\/\s*)?(?:;\s*)?$/i
/** The client's encoding counts; that of the server's answers is another matter. */
const SET = /\bset\b/i
const CHARACTERS = /\b(?:names|charset|char|character|character_set_client)\b/i
/** Statements that may run something that can't be seen. */
const RUNS_UNSEEN = /\b(?:call|execute|prepare)\b/i

/** Whether the client may write in another character set from within the statement on. */
export function maySetCharacters(statement: string): boolean {
  const at = statement.search(SET)
  return (at >= 0 && CHARACTERS.test(statement.slice(at))) || RUNS_UNSEEN.test(statement)
}

/** Whether the server, once it has done it, surely reads in the character set that it names. */
export const surelySetsCharacters = (statement: string): boolean => SETS_ALONE.test(statement)
