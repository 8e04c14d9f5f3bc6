import { statfs } from 'node:fs/promises'
import { availableParallelism, freemem } from 'node:os'
import type { CapacityFigure, CapacityFigures } from '@sallyport/contract/resources/monitor/capacity.ts'
import type { Measure } from '../../domains/monitor/index.ts'
import { replayFolder } from '../../domains/terminal/recording/index.ts'
import { median } from './figures.ts'
import { openLoopbackMachine } from './loopback-machine.ts'
import { measureLists } from './measure-lists.ts'
import { measureSessions } from './measure-sessions.ts'
import { measureStatements } from './measure-statements.ts'
import { measureDatabase, measureReplay, measureStore } from './measure-stores.ts'
import { measureKeys, measureOutput } from './measure-terminals.ts'
import { Pace } from './pace.ts'
import { openScratch } from './scratch.ts'

const MEGABYTE = 1e6
/** So that one busy moment does not decide. */
const BETWEEN_ROUNDS_MS = 15_000

/** What runs is compiled and statements are prepared by then, so the first round counts as well. */
export const measureNode: Measure = async (kernel, { signal, lateMs, rounds, onStep, commit }) => {
  const free = await freeSpace(replayFolder(kernel.config), kernel.config.dataDirectory)
  const scratch = await openScratch(kernel)
  const pace = new Pace(signal, lateMs)
  const closing: (() => Promise<void>)[] = [() => scratch.close()]
  try {
    const machine = await openLoopbackMachine(kernel)
    closing.push(() => machine.close())
    let recording = ''
    const steps: (() => Promise<CapacityFigures>)[] = [
      () => measureDatabase(kernel, pace, commit),
      () => measureStore(kernel, scratch, pace),
      () => measureLists(kernel, pace),
      () => measureKeys(scratch, machine, pace),
      () => measureSessions(kernel, scratch, machine, pace),
      () => measureStatements(kernel, scratch, machine, pace),
      async () => {
        const { recording: path, ...figures } = await measureOutput(scratch, machine, pace)
        recording = path
        return figures
      },
      () => measureReplay(kernel, scratch, recording, pace),
    ]
    const total = steps.length * rounds
    let done = 0
    onStep(done, total)
    const measured = new Map<CapacityFigure, number[]>()
    for (let round = 0; round < rounds; round++) {
      if (round) await pace.rest(BETWEEN_ROUNDS_MS)
      for (const step of steps) {
        for (const [name, value] of Object.entries(await step()) as [CapacityFigure, number][])
          measured.set(name, [...(measured.get(name) ?? []), value])
        onStep(++done, total)
      }
    }
    return { ...Object.fromEntries([...measured].map(([name, values]) => [name, rounded(median(values))])), ...free }
  } finally {
    pace.close()
    for (const close of closing.reverse()) await close()
  }
}

async function freeSpace(...folders: readonly string[]): Promise<CapacityFigures> {
  const memory = { free_memory: Math.round(freemem() / MEGABYTE), processors: availableParallelism() }
  for (const folder of folders) {
    const disk = await statfs(folder).catch(() => undefined)
    if (disk) return { ...memory, free_disk: Math.round((disk.bavail * disk.bsize) / MEGABYTE) }
  }
  return memory
}

/** Three digits that count: more are noise. */
const rounded = (value: number) => Number(value.toPrecision(3))
