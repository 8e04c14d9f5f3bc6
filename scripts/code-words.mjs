/**
 * Looks for words of vocabulary.mjs in comments, titles of tests and names of code.
 * `node scripts/code-words.mjs <folder or file>…` prints each as `path:line: …` and ends with 1.
 */
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BEGINNINGS, CODE_WORDS, NAMES, WORDS } from './vocabulary.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const COMMENT = /^\s*(?:\/\*\*?|\*|\/\/)\s?(?<text>.*?)(?:\s*\*\/)?$|\s\/\/ (?<tail>.*)$/
const TITLE = /\b(?:test|it|describe)(?:\.\w+)*(?:\(.*\))?\(\s*(['"`])(?<text>.*?)\1,|^\s*(['"`])(?<alone>.{12,})\3,$/
const IS_TEST = /\.(?:test|spec)\.[cm]?[jt]sx?$/
const RULES_PROVEN = /^\[[^\]]*\] /
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`|\/\/.*$/g

/** @returns {string[]} `path:line: text (take …)` for each word in the files below these paths */
export function faultsBelow(paths) {
  return paths.flatMap(filesBelow).flatMap((path) => {
    const lines = readFileSync(join(ROOT, path), 'utf8').split('\n')
    return lines.flatMap((line, at) => {
      const better = faultOf(line, lines[at - 1] ?? '', IS_TEST.test(path))
      return better ? [`${path}:${at + 1}: ${line.trim()} (take ${better})`] : []
    })
  })
}

function filesBelow(path) {
  if (statSync(join(ROOT, path)).isFile()) return [path]
  const found = globSync(`${path}/**/*.{ts,tsx,mjs}`, { cwd: ROOT, exclude: (name) => name.endsWith('node_modules') })
  return found.filter((file) => !/(?:^|\/)(?:node_modules|dist|data)\//.test(file)).sort()
}

/** The words to take instead of those of a line; undefined where it has none of vocabulary.mjs. */
export function faultOf(line, before, isTest = true) {
  const comment = COMMENT.exec(line)?.groups
  const title = isTest && !comment ? TITLE.exec(line)?.groups : undefined
  const text = /biome-ignore/.test(line)
    ? ''
    : (comment?.text ?? comment?.tail ?? (title?.text ?? title?.alone)?.replace(RULES_PROVEN, ''))
  if (text === undefined) return first(NAMES, line.replace(QUOTED, ''))
  const isContinued = comment?.text !== undefined && /^\s*(?:\*|\/\/)\s?\S.*[^.:]$/.test(before)
  return first([...WORDS, ...CODE_WORDS], text) ?? (isContinued ? undefined : first(BEGINNINGS, text))
}

const first = (patterns, text) => patterns.find(([pattern]) => pattern.test(text))?.[1]

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = faultsBelow(process.argv.slice(2))
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
