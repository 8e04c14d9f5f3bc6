/**
 * The player of recordings: screen, time line, buttons, keys. Made of plain elements, because the
 * page that is exported for people without an account plays with it too, in one file with nothing
 * else.
 */
import './player.css'
import { playbackBar } from './bar/playback-bar.ts'
import { listenToKeys } from './bar/player-keys.ts'
import { hasSmallWindow, smallWindow } from './bar/small-window.ts'
import { made } from './bar/time-line.ts'
import type { Marker } from './markers.ts'
import { Playback } from './playback.ts'
import type { Recording } from './recording.ts'
import { openStage } from './stage.ts'

/** A pointer that moved further has dragged. */
const CLICK_PX = 4

export interface Player {
  /** Jumps to a moment of the recording, in seconds, and plays on. */
  seek: (seconds: number) => void
  mark: (markers: readonly Marker[]) => void
  dispose: () => void
}

export interface PlayerOptions {
  /** Second of the recording to begin at. */
  startAt?: number
  /** What fills the screen when asked to, with all that belongs over the recording. */
  frame?: HTMLElement
  /** Where its keys are listened to: the whole page, unless it has others. */
  keysOf?: HTMLElement | Document
  /** Leads to the search of the page, if it has one. */
  onSearch?: (() => void) | undefined
}

/** Plays a recording in `box`. */
export function openPlayer(box: HTMLElement, recording: Recording, options: PlayerOptions = {}): Player {
  const { startAt = 0, frame = box, keysOf = document, onSearch } = options
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
  const small = smallWindow(root, (to) => {
    stopElsewhere()
    if (to !== window) stopElsewhere = listenToKeys(to.document, bar.keys)
    stage.fit()
  })
  let stopElsewhere = () => {}
  const bar = playbackBar(playback, {
    duration: recording.duration,
    onFullScreen: toggleFullScreen,
    onSmall: hasSmallWindow() ? small.toggle : undefined,
    onSearch,
    thumbnails: recording.thumbnails,
  })
  root.append(stageBox, message, bar.element)
  box.append(root)

  const show = () => {
    root.dataset.state = playback.state
    message.textContent = playback.error?.message ?? ''
    message.hidden = !playback.error
    bar.show()
  }
  toggleByClick(stageBox, playback)
  const stopKeys = listenToKeys(keysOf, bar.keys)
  const stopClock = startClock(playback, small.current)
  playback.playFrom(startAt)
  return {
    seek: (seconds) => playback.playFrom(seconds),
    mark: bar.mark,
    dispose() {
      stopClock()
      stopKeys()
      small.close()
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

/**
 * Moves the playback on at each frame of the window that it is in: one that is not seen has none. Returns a
 * function that stops it.
 */
function startClock(playback: Playback, current: () => Window): () => void {
  let before = performance.now()
  let isOver = false
  const tick = () => {
    if (isOver) return
    const now = performance.now()
    playback.tick(now - before)
    before = now
    current().requestAnimationFrame(tick)
  }
  current().requestAnimationFrame(tick)
  return () => {
    isOver = true
  }
}
