import { madeBehind } from '../made-texts.ts'
import { FILLER, FOUND_OF_LENGTH, MAX_DEPTH, MAX_FOUND, SPARE } from '../search-limits.ts'
import { withoutComments } from './without-comments.ts'

/** A quote within is there twice, which reads as two texts side by side. */
const QUOTED = /'[^']*'?|"[^"]*"?|\[[^\]]*(?:\]\][^\]]*)*\]?/g
/**
 * Reserved words with which a statement that changes something begins, where it is not one of several rights or of what
 * a trigger, a key or a cursor is for, nor a part of another.
 */
const BEGINNINGS =
  /(?<!\b(?:on|for|after|of|grant|deny|revoke) |, ?|\( ?)\b(?:(?:alter|create|drop)(?! (?:column|constraint|member|period)\b)|backup|bulk insert|dbcc|delete|deny|dump|exec|execute|grant|insert|kill|load|merge|reconfigure|restore|revoke|shutdown|truncate|update|use)\b/gi
/** Words before a text that is run. */
const RUNS_TEXT = /\bexec(?:ute)? ?\(|\bsp_executesql\b/gi
const TEXTS = /'\ue000*/g

/**
 * A batch as SQL Server reads it besides what was sent: without comments, each of its statements, between which nothing
 * needs to stand, and those in texts that it runs. Undefined when there are more than are looked at.
 */
export function readBatch(text: string): string[] | undefined {
  const found = new Set<string>()
  let left = SPARE + FOUND_OF_LENGTH * text.length
  const add = (one: string) => {
    left -= one.length
    found.add(one.trim())
    return left >= 0 && found.size <= MAX_FOUND
  }
  const search = (sent: string, depth: number): boolean => {
    const read = withoutComments(sent) ?? sent
    if (depth > MAX_DEPTH || !add(read)) return false
    const bare = read.replaceAll(QUOTED, (quoted) => quoted.charAt(0) + FILLER.repeat(quoted.length - 1))
    let from = 0
    for (const { length } of bare.split(';')) {
      const [own, ownBare] = [read, bare].map((one) => one.slice(from, from + length)) as [string, string]
      from += length + 1
      if (own.trim() && !add(own)) return false
      for (const { index } of ownBare.matchAll(BEGINNINGS)) if (!add(own.slice(index))) return false
      for (const { index, 0: head } of ownBare.matchAll(RUNS_TEXT)) {
        left -= ownBare.length - index
        if (left < 0) return false
        for (const made of [textsBehind, madeBehind].map((read) => read(own, ownBare, index + head.length)))
          if (made && !search(made, depth + 1)) return false
      }
    }
    return true
  }
  const isWhole = search(text, 0)
  found.delete(text)
  return isWhole ? [...found] : undefined
}

/** Texts of an expression, one behind the other: operators between them are not looked at. */
function textsBehind(text: string, bare: string, from: number): string {
  let content = ''
  let last = from
  for (const { index, 0: found } of bare.slice(from).matchAll(TEXTS)) {
    const at = from + index
    if (at === last && at > from) content += "'"
    content += text.slice(at + 1, at + found.length).replace(/'$/, '')
    last = at + found.length
  }
  return content
}
