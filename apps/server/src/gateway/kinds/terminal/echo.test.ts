import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BRIEF_MS, Echo, NO_ECHO_MS, QUIET_MS } from './echo.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const nobody = new AbortController().signal

/** An echo by the clock of the test, and how many milliseconds it was waited for so far. */
function anEcho() {
  const begin = performance.now()
  const echo = new Echo()
  const wait = (dropped = nobody, noEchoMs?: number) => {
    const answer: { isShown?: boolean; at?: number } = {}
    void echo.settled(dropped, noEchoMs).then((isShown) => {
      Object.assign(answer, { isShown, at: performance.now() - begin })
    })
    return answer
  }
  return { echo, wait, after: (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds) }
}

test('an echo that never comes is waited for as long as the caller allows, and is then missing', async () => {
  const { echo, wait, after } = anEcho()
  echo.sent()
  const long = wait()
  const brief = wait(nobody, BRIEF_MS)
  await after(BRIEF_MS)
  expect([brief.isShown, long.isShown]).toEqual([false, undefined])
  await after(NO_ECHO_MS)
  expect(long).toEqual({ isShown: false, at: NO_ECHO_MS })
})

test('an echo that is there already is waited for only until it has been quiet for a moment', async () => {
  const { echo, wait, after } = anEcho()
  echo.sent()
  await after(4)
  echo.shown()
  const answer = wait()
  await after(QUIET_MS - 1)
  expect(answer.isShown).toBeUndefined()
  await after(10)
  expect(answer.isShown).toBe(true)
})

test('a machine that is slow to show is given half as long again as it took before', async () => {
  const { echo, wait, after } = anEcho()
  echo.sent()
  await after(400)
  echo.shown()
  await after(1000)
  echo.sent()
  await after(2)
  echo.shown()
  const answer = wait()
  await after(400)
  expect(answer.isShown).toBeUndefined()
  await after(200 + QUIET_MS)
  expect(answer.isShown).toBe(true)
})

test('keys that may do nothing and show nothing are taken for silent after a moment; output says that they did something', async () => {
  const { echo, wait, after } = anEcho()
  echo.sent()
  await after(3)
  echo.shown()
  await after(100)
  echo.sentSilently()
  expect(echo.isSilent).toBe(true)
  const silent = wait()
  await after(BRIEF_MS - 1)
  expect(silent.isShown).toBeUndefined()
  await after(1)
  expect(silent.isShown).toBe(true)
  expect(echo.isSilent).toBe(true)

  echo.sentSilently()
  const seen = wait()
  await after(5)
  echo.shown()
  expect(echo.isSilent).toBe(false)
  await after(320)
  expect(seen.isShown).toBe(true)
})

test('nobody waits any more: answered at once, and output afterwards wakes nobody', async () => {
  const { echo, wait, after } = anEcho()
  echo.sent()
  const dropped = new AbortController()
  const answer = wait(dropped.signal)
  await after(10)
  dropped.abort()
  await after(0)
  expect(answer).toEqual({ isShown: false, at: 10 })
  echo.shown()
})

test('a waiter for the first sign of an echo is woken by it, and waits for no more than the rest', async () => {
  const { echo, wait, after } = anEcho()
  echo.sent()
  const answer = wait()
  await after(20)
  echo.shown()
  // Half as long again as it took, and the moment of quiet.
  await after(20)
  expect(answer.isShown).toBeUndefined()
  await after(QUIET_MS)
  expect(answer.isShown).toBe(true)
})

test('output that may answer the first of several keys is not taken for what the last one brought before a long quiet', async () => {
  const { echo, after } = anEcho()
  echo.sent(1)
  await after(5)
  echo.shown()
  expect(echo.isOfLast).toBe(true)
  // Before there was an answer to the one before.
  await after(QUIET_MS)
  echo.sent(1)
  echo.sent(1)
  await after(5)
  echo.shown()
  await after(QUIET_MS)
  expect(echo.isOfLast).toBe(false)
  // Nor for one that comes while that is not known.
  echo.sent(1)
  await after(5)
  echo.shown()
  await after(QUIET_MS)
  expect(echo.isOfLast).toBe(false)
  await after(NO_ECHO_MS)
  expect(echo.isOfLast).toBe(true)
  // In one packet.
  echo.sent(2)
  await after(5)
  echo.shown()
  await after(NO_ECHO_MS - 1)
  expect(echo.isOfLast).toBe(false)
  await after(1)
  expect(echo.isOfLast).toBe(true)
  echo.sent()
  expect(echo.isOfLast).toBe(false)
})
