/** The bar under a recording: play and pause, where it is, how fast, what is left out. */
import { t } from '../../lib/i18n.ts'
import type { Marker } from './markers.ts'
import { type Playback, SPEED } from './playback.ts'
import { clock, type Thumbnails } from './recording.ts'
import { made, timeLine } from './time-line.ts'

export interface PlaybackBar {
  element: HTMLElement
  /** Shows what the playback is doing now. */
  show: () => void
  mark: (markers: readonly Marker[]) => void
}

/** The bar of a playback of `duration` seconds; `onFullScreen` fills the screen and goes back. */
export function playbackBar(
  playback: Playback,
  duration: number,
  onFullScreen: () => void,
  thumbnails?: Thumbnails,
): PlaybackBar {
  const element = made('div', 'rp-bar')
  element.setAttribute('role', 'toolbar')
  element.setAttribute('aria-label', t('Replay'))

  const play = button('', () => playback.toggle(), t('Space'))
  play.classList.add('rp-play')
  const time = made('span', 'rp-time')
  // As wide as it will ever be, or the line would move under the pointer.
  time.style.minWidth = `${2 * clock(duration).length + 3}ch`
  const line = timeLine(t('Position in the recording'), duration, (wanted) => playback.seek(wanted), thumbnails)
  const slower = button(t('Slower'), () => changeSpeed(playback, -1), '<')
  const speed = made('span', 'rp-speed')
  speed.setAttribute('aria-live', 'polite')
  const faster = button(t('Faster'), () => changeSpeed(playback, 1), '>')
  const restart = button(t('Restart'), () => playback.playFrom(0), 'Home')
  const full = button(t('Full screen'), onFullScreen, 'f')
  full.hidden = !document.fullscreenEnabled
  element.append(row(play, time, line.element), row(slower, speed, faster, restart, skipBox(playback), full))

  return {
    element,
    mark: line.mark,
    show() {
      const { isOn } = playback
      play.textContent = isOn ? '❚❚' : '▶'
      play.setAttribute('aria-label', isOn ? t('Pause') : t('Play'))
      time.textContent = `${clock(playback.time)} / ${clock(duration)}`
      line.show(playback.time)
      speed.textContent = `${t('Speed')} ${playback.speed}x`
      // Disabled, they would lose the keyboard that has just pressed them.
      slower.setAttribute('aria-disabled', String(playback.speed <= SPEED.min))
      faster.setAttribute('aria-disabled', String(playback.speed >= SPEED.max))
    },
  }
}

export const changeSpeed = (playback: Playback, steps: number) => playback.setSpeed(playback.speed + steps * SPEED.step)

function row(...parts: HTMLElement[]): HTMLElement {
  const element = made('div', 'rp-row')
  element.append(...parts)
  return element
}

function button(text: string, onClick: () => void, key = ''): HTMLButtonElement {
  const element = made('button', 'rp-button', text)
  element.type = 'button'
  element.title = key
  element.addEventListener('click', onClick)
  return element
}

function skipBox(playback: Playback): HTMLElement {
  const box = made('input', '')
  box.type = 'checkbox'
  box.checked = playback.skipIdle
  box.addEventListener('change', () => playback.setSkipIdle(box.checked))
  const label = made('label', 'rp-skip')
  label.append(box, t('Skip idle time'))
  return label
}
