/**
 * The entry of an exported recording: a page of one file, with everything in it, that plays without
 * a server. Built apart from the console (vite.config.ts); the server puts it together with the
 * recording (domains/terminal/recording/downloads/export-page.ts).
 */
import './page.css'
import type { ReplayMark } from '@sallyport/contract/replay.ts'
import { setCatalog, t } from '../../../lib/i18n.ts'
import chinese from '../../../locales/cn/terminal.json'
import { made } from '../bar/time-line.ts'
import { desktopRecording } from '../desktop-stage.ts'
import { type FileRow, fileMarker, markerOf } from '../markers.ts'
import { openPlayer } from '../player.ts'
import { type EmbeddedIndex, embeddedRecording } from './embedded-recording.ts'

/** The server's facts about the recording. */
interface Facts {
  language: 'cn' | 'en'
  /** Label and value, in the reader's language. */
  who: readonly (readonly [label: string, value: string])[]
  index: EmbeddedIndex
  commands: readonly { time: number; input: string; risk_level: number }[]
  /** Files that went through the terminal. */
  files: readonly (FileRow & { time: number })[]
  /** What happened beside the picture of a desktop; every other recording is of a terminal. */
  marks?: readonly ReplayMark[]
}

const DANGEROUS = 5

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? ''
}

function start(): void {
  const facts = JSON.parse(textOf('facts')) as Facts
  if (facts.language === 'cn') setCatalog(chinese)
  const about = made('dl', 'ex-about')
  for (const [label, value] of facts.who) {
    const row = made('div', '')
    row.append(made('dt', '', label), made('dd', '', value))
    about.append(row)
  }
  const box = made('main', 'ex-player')
  document.body.append(about, box)
  try {
    const embedded = embeddedRecording(facts.index, textOf('recording'), textOf('screens'))
    const player = openPlayer(box, facts.marks ? desktopRecording(embedded) : embedded)
    player.mark([
      ...facts.commands.map(({ time, input, risk_level }) => ({
        time,
        label: input,
        isDangerous: risk_level >= DANGEROUS,
      })),
      ...facts.files.map(({ time, ...file }) => fileMarker(file, time)),
      ...(facts.marks ?? []).map(markerOf),
    ])
  } catch {
    box.textContent = t('The recording is damaged')
  }
}

start()
