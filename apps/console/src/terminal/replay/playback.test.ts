import { expect, test } from 'vitest'
import { Playback } from './playback.ts'
import type { PlaybackScreen } from './playback-screen.ts'
import type { Recording, ReplayEvent } from './recording.ts'

const output = (time: number, data: string): ReplayEvent => ({ time, code: 'o', data })

/** Pieces that arrive when the test says so. */
function aRecording(pieces: ReplayEvent[][]) {
  const asked = new Map<number, PromiseWithResolvers<readonly ReplayEvent[]>>()
  const recording: Recording = {
    start: undefined,
    duration: pieces.at(-1)?.at(-1)?.time ?? 0,
    parts: pieces.map((events, n) => ({ time: n === 0 ? 0 : (events[0]?.time ?? 0), cols: 80 + n, rows: 24 })),
    piece(n) {
      const answer = asked.get(n) ?? Promise.withResolvers<readonly ReplayEvent[]>()
      asked.set(n, answer)
      return answer.promise
    },
    screen: async (n) => `<${n}>`,
  }
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await null
  }
  return {
    recording,
    asked,
    async bring(...which: number[]) {
      for (const n of which) {
        void recording.piece(n)
        asked.get(n)?.resolve(pieces[n] as ReplayEvent[])
      }
      await settle()
    },
    async refuse(n: number) {
      asked.get(n)?.reject(new Error('cut off'))
      await settle()
    },
    settle,
  }
}

function aScreen() {
  const shown: string[] = []
  const screen = {
    waiting: 0,
    reset: ({ cols, rows }: { cols: number; rows: number }, contents: string) =>
      shown.push(`${cols}x${rows}${contents}`),
    write: (text: string) => shown.push(text),
    resize: ({ cols, rows }: { cols: number; rows: number }) => shown.push(`→${cols}x${rows}`),
    backlog: () => screen.waiting,
  }
  return { screen: screen as PlaybackScreen & { waiting: number }, shown }
}

const THREE = [
  [output(0.1, 'a'), output(1, 'b'), { time: 1.5, code: 'r', data: '100x30' } as ReplayEvent, output(1.6, 'c')],
  [output(2, 'd'), output(3, 'e')],
  [output(4, 'f'), output(50, 'g'), output(51, 'h')],
]
const play = (playback: Playback, ms: number) => {
  for (let passed = 0; passed < ms; passed += 50) playback.tick(50)
}

async function opened(speed = 1) {
  const source = aRecording(THREE)
  const { screen, shown } = aScreen()
  const playback = new Playback(source.recording, screen)
  playback.setSpeed(speed)
  playback.setSkipIdle(false)
  playback.play()
  return { ...source, screen, shown, playback }
}

test('events come at their time, in order, resizes between them, and no sooner than their piece is there', async () => {
  const { playback, shown, bring, asked } = await opened()
  expect(playback.state).toBe('loading')
  play(playback, 500)
  expect(playback.time).toBe(0)
  await bring(0)
  expect(shown).toEqual(['80x24<0>'])
  expect([...asked.keys()]).toEqual([0, 1])
  play(playback, 1100)
  expect(shown).toEqual(['80x24<0>', 'a', 'b'])
  play(playback, 600)
  expect(shown.slice(3).join('')).toBe('→100x30c')
  play(playback, 5000)
  expect([playback.state, playback.time]).toEqual(['loading', 2])
  await bring(1, 2)
  expect(playback.state).toBe('playing')
  play(playback, 2500)
  await bring()
  expect(shown.slice(5)).toEqual(['d', 'e', 'f'])
})

test('a jump shows the screen of its piece and what came since; the way back too', async () => {
  const { playback, shown, bring } = await opened()
  await bring(0, 1, 2)
  playback.seek(3.5)
  await bring()
  expect(shown.splice(0)).toEqual(['80x24<0>', '81x24<1>', 'de'])
  playback.seek(1.55)
  await bring()
  expect(shown.splice(0)).toEqual(['80x24<0>', 'ab', '→100x30'])
  playback.seek(1.7)
  await bring()
  expect(shown).toEqual(['c'])
})

test('only the last of several quick jumps is drawn', async () => {
  const { playback, shown, bring, settle } = await opened()
  playback.seek(2.5)
  playback.seek(4.5)
  await bring(0, 1)
  await settle()
  expect(shown).toEqual([])
  await bring(2)
  expect(shown).toEqual(['82x24<2>', 'f'])
  expect(playback.time).toBe(4.5)
})

test('idle time is cut to two seconds, over the ends of pieces too; without skipping it is kept', async () => {
  const { playback, shown, bring } = await opened()
  await bring(0, 1, 2)
  playback.seek(4)
  await bring()
  play(playback, 10_000)
  expect(playback.time).toBeCloseTo(14)
  playback.seek(4)
  await bring()
  playback.setSkipIdle(true)
  play(playback, 2100)
  expect(playback.time).toBeGreaterThanOrEqual(50)
  expect(shown.at(-1)).toBe('g')
})

test('at the end it stops, and play begins over', async () => {
  const { playback, shown, bring } = await opened(32)
  await bring(0, 1, 2)
  for (let turn = 0; turn < 100; turn++) {
    play(playback, 50)
    await bring()
  }
  expect([playback.state, playback.isOn, playback.time]).toEqual(['ended', false, 51])
  expect(shown.join('')).toBe('80x24<0>ab→100x30cdefgh')
  // A place found at the very end is shown and stays.
  playback.playFrom(51)
  await bring()
  expect([playback.state, playback.time]).toEqual(['ended', 51])
  shown.length = 0
  playback.play()
  await bring()
  expect([playback.time, shown]).toEqual([0, ['80x24<0>']])
})

test('a piece that cannot be read stops with its reason; elsewhere it still plays', async () => {
  const { playback, bring, refuse, shown } = await opened()
  await bring(0)
  await refuse(1)
  play(playback, 2200)
  await bring()
  expect([playback.state, playback.error?.message]).toEqual(['failed', 'cut off'])
  await bring(2)
  playback.seek(4.2)
  playback.play()
  await bring()
  expect(playback.state).toBe('playing')
  expect(shown.at(-1)).toBe('f')
})

test('a screen that is behind holds time still, and a page that slept does not catch up', async () => {
  const { playback, bring, screen } = await opened()
  await bring(0, 1, 2)
  screen.waiting = 2_000_000
  play(playback, 1000)
  expect(playback.time).toBe(0)
  screen.waiting = 0
  playback.tick(3_600_000)
  expect(playback.time).toBe(0.25)
})

test('speed stays between one and thirty-two', () => {
  const playback = new Playback(aRecording(THREE).recording, aScreen().screen)
  expect(playback.speed).toBe(2)
  playback.setSpeed(0)
  expect(playback.speed).toBe(1)
  playback.setSpeed(99)
  expect(playback.speed).toBe(32)
})
