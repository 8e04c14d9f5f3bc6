import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { AppError } from '../../../../kernel/errors/app-error.ts'
import { CONSOLE_DIRECTORY } from '../../../../kernel/http/console-files.ts'
import { HTML_LANGUAGES } from '../../../../kernel/i18n/language-of.ts'
import type { InStore } from '../store/recording-store.ts'
import { filesBeside, type StoredIndex } from '../stored-index.ts'

/** A packed recording larger than this makes a page that browsers open slowly or not at all. */
export const MAX_EXPORT_BYTES = 32 * 1024 * 1024

export interface ExportFacts {
  title: string
  language: 'cn' | 'en'
  /** Facts shown above the recording: label and value. */
  who: readonly (readonly [label: string, value: string])[]
  commands: readonly { time: number; input: string; risk_level: number }[]
  /** Files that went through the terminal; `time` is when each was over. */
  files: readonly { time: number; operate: string; filename: string; is_success: boolean }[]
}

/** The player from the console's build: one script and one style sheet. */
export interface ExportProgram {
  script: string
  style: string
}

/** Throws 503 before the console has been built. */
export async function readExportProgram(directory = CONSOLE_DIRECTORY): Promise<ExportProgram> {
  try {
    const [script, style] = await Promise.all(
      ['js', 'css'].map((ending) => readFile(join(directory, `exported-replay.${ending}`), 'utf8')),
    )
    return { script: script ?? '', style: style ?? '' }
  } catch {
    throw new AppError(503, 'console_not_built', 'The console has not been built yet, so there is no player to export.')
  }
}

/**
 * A page in one file, with a recording and its player, which plays without a server or a network.
 * Its policy runs nothing but the player and fetches nothing. The recording is in it as base64, and
 * `<` is escaped everywhere else, so that no text of a session can end its element.
 */
export function exportPage(
  { store, name }: InStore,
  index: StoredIndex,
  facts: ExportFacts,
  { script, style }: ExportProgram,
): Readable {
  const { start, duration, parts } = index
  const { title, ...shown } = facts
  const data = {
    ...shown,
    ...(index.marks ? { marks: index.marks } : {}),
    index: { start, duration, parts: parts.map(({ bytes: _, crc32: __, ...part }) => part) },
  }
  // In a script these occur in strings and patterns alone, where the backslash changes nothing.
  const program = `\n${script.replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--')}\n`
  const fingerprint = createHash('sha256').update(program).digest('base64')
  const policy = `default-src 'none'; script-src 'sha256-${fingerprint}'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'`
  const head = `<!doctype html>
<html lang="${HTML_LANGUAGES[facts.language]}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style.replaceAll('</', '<\\/')}</style>
</head>
<body>
<script type="application/json" id="facts">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script type="text/plain" id="recording">`
  return Readable.from(
    (async function* () {
      yield head
      yield* base64Of(store.open(name))
      yield '</script>\n<script type="text/plain" id="screens">'
      yield* base64Of(store.open(filesBeside(name).screens))
      yield `</script>\n<script>${program}</script>\n</body>\n</html>\n`
    })(),
  )
}

async function* base64Of(source: Readable): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk as Buffer])
    const whole = bytes.length - (bytes.length % 3)
    yield bytes.toString('base64', 0, whole)
    rest = bytes.subarray(whole)
  }
  yield rest.toString('base64')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
