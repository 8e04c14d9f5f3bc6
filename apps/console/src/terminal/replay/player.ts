/**
 * The player of recordings: screen, time line, buttons, keys. Made of plain elements, because the
 * page that is exported for people without an account plays with it too, in one file with nothing
 * else.
 */
import './player.css'
import type { Marker } from './markers.ts'
import { Playback } from './playback.ts'
import { changeSpeed, playbackBar } from './playback-bar.ts'
import type { Recording } from './recording.ts'
import { openStage } from './stage.ts'
import { made } from './time-line.ts'

const STEP_S = 5
/** A pointer that moved further has dragged. */
const CLICK_PX = 4

export interface Player {
  /** Jumps to a moment of the recording, in seconds, and plays on. */
  seek: (seconds: number) => void
  mark: (markers: readonly Marker[]) => void
  dispose: () => void
}

/**
 * Plays a recording in `box` from `startAt` seconds on. `frame` is what fills the screen when asked
 * to, with all that belongs over the recording. Its keys are listened to on the whole page, or in
 * `keysOf` alone where the page has others.
 */
export function openPlayer(
  box: HTMLElement,
  recording: Recording,
  startAt = 0,
  frame: HTMLElement = box,
  keysOf: HTMLElement | Document = document,
): Player {
  const root = made('div', 'rp')
  const stageBox = made('div', 'rp-stage')
  const message = made('p', 'rp-message')
  message.setAttribute('role', 'alert')
  const stage = (recording.openStage ?? openStage)(stageBox)
  const playback = new Playback(recording, stage, () => show())
  const toggleFullScreen = () => {
    if (document.fullscreenElement) void document.exitFullscreen()
    else frame.requestFullscreen?.().catch(() => {})
  }
  const bar = playbackBar(playback, recording.duration, toggleFullScreen, recording.thumbnails)
  root.append(stageBox, message, bar.element)
  box.append(root)

  const show = () => {
    root.dataset.state = playback.state
    message.textContent = playback.error?.message ?? ''
    message.hidden = !playback.error
    bar.show()
  }
  toggleByClick(stageBox, playback)
  const stopKeys = listenToKeys(keysOf, playback, recording.duration, toggleFullScreen)
  const stopClock = startClock(playback)
  playback.playFrom(startAt)
  return {
    seek: (seconds) => playback.playFrom(seconds),
    mark: bar.mark,
    dispose() {
      stopClock()
      stopKeys()
      playback.pause()
      stage.dispose()
      root.remove()
    },
  }
}

/** A click plays or pauses; a drag selects text. */
function toggleByClick(stageBox: HTMLElement, playback: Playback): void {
  let pressed = { x: 0, y: 0 }
  stageBox.addEventListener('pointerdown', ({ clientX, clientY }) => {
    pressed = { x: clientX, y: clientY }
  })
  stageBox.addEventListener('click', ({ clientX, clientY }) => {
    if (Math.hypot(clientX - pressed.x, clientY - pressed.y) < CLICK_PX) playback.toggle()
  })
}

/** Listens to the player's keys; returns a function that stops it. */
function listenToKeys(
  within: HTMLElement | Document,
  playback: Playback,
  duration: number,
  toggleFullScreen: () => void,
): () => void {
  const actions = new Map<string, () => void>([
    [' ', () => playback.toggle()],
    ['ArrowLeft', () => playback.seek(playback.time - STEP_S)],
    ['ArrowRight', () => playback.seek(playback.time + STEP_S)],
    ['Home', () => playback.seek(0)],
    ['End', () => playback.seek(duration)],
    ['<', () => changeSpeed(playback, -1)],
    ['>', () => changeSpeed(playback, 1)],
    ['f', toggleFullScreen],
  ])
  const onKey = (event: Event) => {
    if (!(event instanceof KeyboardEvent)) return
    const action = actions.get(event.key)
    if (!action || event.ctrlKey || event.altKey || event.metaKey || isForItself(event)) return
    event.preventDefault()
    action()
  }
  within.addEventListener('keydown', onKey)
  return () => within.removeEventListener('keydown', onKey)
}

/** Moves the playback on at each frame of the browser; returns a function that stops it. */
function startClock(playback: Playback): () => void {
  let before = performance.now()
  const tick = (now: number) => {
    playback.tick(now - before)
    before = now
    asked = requestAnimationFrame(tick)
  }
  let asked = requestAnimationFrame(tick)
  return () => cancelAnimationFrame(asked)
}

/**
 * Whether what has the focus needs the key: fields all of them, buttons and boxes the space bar.
 */
function isForItself({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.matches('.rp-stage *, .rp-line')) return false
  if (target.matches('input[type=checkbox], button, a, [role=button], summary')) return key === ' '
  return target.matches('input, textarea, select') || target.isContentEditable
}
