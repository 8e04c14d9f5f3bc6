import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { packCast } from '../pack.ts'
import { createLocalStore } from '../store/local-store.ts'
import { filesBeside, readIndex } from '../stored-index.ts'
import { type ExportFacts, exportPage, readExportProgram } from './export-page.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const HOSTILE = '</script><script>alert(1)</script><!--<script>"\'&\u2028'
const FACTS: ExportFacts = {
  title: HOSTILE,
  language: 'en',
  who: [['User', HOSTILE]],
  commands: [{ time: 1, input: HOSTILE, risk_level: 5 }],
  files: [{ time: 2, operate: 'Upload', filename: HOSTILE, is_success: true }],
}

async function exported(program = { script: 'const a = "</script><!--"', style: 'i::after { content: "</style>" }' }) {
  const source = join(folder, 'x.cast')
  const target = `${source}.gz`
  await writeFile(source, `{"version":2,"width":80,"height":24}\n${JSON.stringify([1, 'o', HOSTILE.repeat(20_000)])}\n`)
  await packCast({ source, isPacked: false, target, suffix: '.part' })
  const replay = { store: createLocalStore(folder), name: 'x.cast.gz' }
  const index = await readIndex(replay)
  if (!index) throw new Error('no index')
  return { page: await text(exportPage(replay, index, FACTS, program)), target, index }
}

/**
 * The contents of the page's elements, ended where a browser ends them: at the first closing tag.
 */
const elements = (page: string, name: string) =>
  [...page.matchAll(new RegExp(`<${name}([^>]*)>([\\s\\S]*?)</${name}`, 'gi'))].map(
    ([, attributes = '', content = '']) => ({
      attributes,
      content,
    }),
  )

test('no text of a session can end its element or begin another', async () => {
  const { page, target, index } = await exported()
  const [facts, recording, screens, program, ...others] = elements(page, 'script')
  expect(others).toEqual([])
  expect(JSON.parse(facts?.content ?? '')).toMatchObject({
    who: FACTS.who,
    commands: FACTS.commands,
    files: FACTS.files,
    index: { duration: index.duration },
  })
  expect(Buffer.from(recording?.content ?? '', 'base64')).toEqual(await readFile(target))
  expect(Buffer.from(screens?.content ?? '', 'base64')).toEqual(await readFile(filesBeside(target).screens))
  expect(program?.content).toBe('\nconst a = "<\\/script><\\!--"\n')
  expect(page.match(/<!--/g)).toBeNull()
  expect(elements(page, 'style')).toHaveLength(1)
  expect(elements(page, 'title')[0]?.content).not.toContain('<')
})

test('the page’s policy lets its own program run and nothing be fetched', async () => {
  const { page } = await exported()
  const program = elements(page, 'script').at(-1)?.content ?? ''
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1]
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain(`script-src 'sha256-${createHash('sha256').update(program).digest('base64')}';`)
  expect(page).not.toMatch(/\b(src|href)=/)
})

test('without a build of the console there is no player to export, and that is said', async () => {
  await expect(readExportProgram(folder)).rejects.toMatchObject({ status: 503, code: 'console_not_built' })
  await writeFile(join(folder, 'exported-replay.js'), 'script')
  await writeFile(join(folder, 'exported-replay.css'), 'style')
  expect(await readExportProgram(folder)).toEqual({ script: 'script', style: 'style' })
})
