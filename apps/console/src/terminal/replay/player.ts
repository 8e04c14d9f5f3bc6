/**
 * The player of recordings: screen, time line, buttons, keys. Made of plain elements, because the
 * page that is exported for people without an account plays with it too, in one file with nothing
 * else.
 */
import './player.css'
import { t } from '../../lib/i18n.ts'
import type { Marker } from './markers.ts'
import { Playback, SPEED } from './playback.ts'
import { clock, type Recording } from './recording.ts'
import { openStage } from './stage.ts'
import { made, timeLine } from './time-line.ts'

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
 * to, with all that belongs over the recording.
 */
export function openPlayer(box: HTMLElement, recording: Recording, startAt = 0, frame: HTMLElement = box): Player {
  const root = made('div', 'rp')
  const stageBox = made('div', 'rp-stage')
  const message = made('p', 'rp-message')
  message.setAttribute('role', 'alert')
  const bar = made('div', 'rp-bar')
  bar.setAttribute('role', 'toolbar')
  bar.setAttribute('aria-label', t('Replay'))
  root.append(stageBox, message, bar)
  box.append(root)

  const stage = openStage(stageBox)
  const playback = new Playback(recording, stage, () => show())
  const button = (text: string, onClick: () => void, key = '') => {
    const element = made('button', 'rp-button', text)
    element.type = 'button'
    element.title = key
    element.addEventListener('click', onClick)
    return element
  }
  const faster = (steps: number) => playback.setSpeed(playback.speed + steps * SPEED.step)
  const fullScreen = () => {
    if (document.fullscreenElement) void document.exitFullscreen()
    else frame.requestFullscreen?.().catch(() => {})
  }

  const play = button('', () => playback.toggle(), t('Space'))
  play.classList.add('rp-play')
  const time = made('span', 'rp-time')
  // As wide as it will ever be, or the line would move under the pointer.
  time.style.minWidth = `${2 * clock(recording.duration).length + 3}ch`
  const line = timeLine(t('Position in the recording'), recording.duration, (wanted) => playback.seek(wanted))
  const slower = button(t('Slower'), () => faster(-1), '<')
  const speed = made('span', 'rp-speed')
  speed.setAttribute('aria-live', 'polite')
  const quicker = button(t('Faster'), () => faster(1), '>')
  const restart = button(t('Restart'), () => playback.playFrom(0), 'Home')
  const skip = made('input', '')
  skip.type = 'checkbox'
  skip.checked = playback.skipIdle
  skip.addEventListener('change', () => playback.setSkipIdle(skip.checked))
  const skipLabel = made('label', 'rp-skip')
  skipLabel.append(skip, t('Skip idle time'))
  const full = button(t('Full Screen'), fullScreen, 'f')
  full.hidden = !document.fullscreenEnabled
  const first = made('div', 'rp-row')
  first.append(play, time, line.element)
  const second = made('div', 'rp-row')
  second.append(slower, speed, quicker, restart, skipLabel, full)
  bar.append(first, second)

  const show = () => {
    const { state, isOn } = playback
    root.dataset.state = state
    play.textContent = isOn ? '❚❚' : '▶'
    play.setAttribute('aria-label', isOn ? t('Pause') : t('Play'))
    time.textContent = `${clock(playback.time)} / ${clock(recording.duration)}`
    line.show(playback.time)
    speed.textContent = `${t('Speed')} ${playback.speed}x`
    slower.disabled = playback.speed <= SPEED.min
    quicker.disabled = playback.speed >= SPEED.max
    message.textContent = playback.error?.message ?? ''
    message.hidden = !playback.error
  }

  const keys = new Map<string, () => void>([
    [' ', () => playback.toggle()],
    ['ArrowLeft', () => playback.seek(playback.time - STEP_S)],
    ['ArrowRight', () => playback.seek(playback.time + STEP_S)],
    ['Home', () => playback.seek(0)],
    ['End', () => playback.seek(recording.duration)],
    ['<', () => faster(-1)],
    ['>', () => faster(1)],
    ['f', fullScreen],
  ])
  const onKey = (event: KeyboardEvent) => {
    const action = keys.get(event.key)
    if (!action || event.ctrlKey || event.altKey || event.metaKey || isForItself(event)) return
    event.preventDefault()
    action()
  }
  document.addEventListener('keydown', onKey)
  // A click plays or pauses; a drag selects text.
  let pressed = { x: 0, y: 0 }
  stageBox.addEventListener('pointerdown', ({ clientX, clientY }) => {
    pressed = { x: clientX, y: clientY }
  })
  stageBox.addEventListener('click', ({ clientX, clientY }) => {
    if (Math.hypot(clientX - pressed.x, clientY - pressed.y) < CLICK_PX) playback.toggle()
  })

  let asked = 0
  let before = performance.now()
  const tick = (now: number) => {
    playback.tick(now - before)
    before = now
    asked = requestAnimationFrame(tick)
  }
  asked = requestAnimationFrame(tick)
  playback.playFrom(startAt)
  return {
    seek: (seconds) => playback.playFrom(seconds),
    mark: line.mark,
    dispose() {
      cancelAnimationFrame(asked)
      document.removeEventListener('keydown', onKey)
      playback.pause()
      stage.dispose()
      root.remove()
    },
  }
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
