/** The bar under a recording, in one line: play and pause, where it is, how fast, what is left out, what else can be done. */
import { t } from '../../../lib/i18n.ts'
import type { Marker } from '../markers.ts'
import type { Playback } from '../playback.ts'
import { clock, type Thumbnails } from '../recording.ts'
import { barPopup } from './bar-popup.ts'
import { type IconName, icon } from './icons.ts'
import { playerKeys } from './player-keys.ts'
import { made, timeLine } from './time-line.ts'

/** Offered in the menu; keys reach those between. */
const SPEEDS = [1, 2, 4, 8, 16, 32] as const

export interface PlaybackBar {
  element: HTMLElement
  /** Shows what the playback is doing now. */
  show: () => void
  mark: (markers: readonly Marker[]) => void
  /** Its keys, for who listens to them. */
  keys: ReturnType<typeof playerKeys>
}

interface BarOptions {
  /** Seconds of the recording. */
  duration: number
  onFullScreen: () => void
  /** Opens a small window, or goes back; undefined where there are none. */
  onSmall: (() => void) | undefined
  /** Leads to the search of the page; undefined where it has none. */
  onSearch: (() => void) | undefined
  thumbnails: Thumbnails | undefined
}

export function playbackBar(playback: Playback, options: BarOptions): PlaybackBar {
  const { duration, onFullScreen, onSmall, onSearch, thumbnails } = options
  const element = made('div', 'rp-bar')
  element.setAttribute('role', 'toolbar')
  element.setAttribute('aria-label', t('Replay'))

  let markers: readonly Marker[] = []
  const play = button('play', t('Play'), t('Space'), () => playback.toggle())
  play.classList.add('rp-play')
  const time = made('span', 'rp-time')
  // As wide as it will ever be, or the line would move under the pointer.
  time.style.minWidth = `${2 * clock(duration).length + 3}ch`
  const line = timeLine(t('Position in the recording'), duration, (wanted) => playback.seek(wanted), thumbnails)
  const speed = made('button', 'rp-button rp-speed')
  speed.type = 'button'
  speed.title = `${t('Speed')} (< >)`
  speed.setAttribute('aria-label', t('Speed'))
  const speeds = barPopup(speed, 'menu', (box, close) => fillSpeeds(box, playback, close))
  const idle = button('skip', t('Skip idle time'), 'i', () => playback.setSkipIdle(!playback.skipIdle))
  const help = button('keys', t('Keys of the player'), '?', () => {})
  const keyList = barPopup(help, 'dialog', (box) => fillKeys(box, keys))
  const keys = playerKeys(playback, duration, () => markers, {
    toggleFullScreen: onFullScreen,
    toggleSmall: onSmall,
    search: onSearch,
    showKeys: keyList.toggle,
  })
  const full = button('full', t('Full screen'), 'f', onFullScreen)
  full.hidden = !document.fullscreenEnabled
  element.append(
    play,
    time,
    line.element,
    speeds.element,
    idle,
    ...(onSearch ? [button('search', t('Search'), '/', onSearch)] : []),
    ...(onSmall ? [button('small', t('Small window'), 'p', onSmall)] : []),
    keyList.element,
    full,
  )

  return {
    element,
    keys,
    mark(all) {
      markers = all
      line.mark(all)
    },
    show() {
      const { isOn, state } = playback
      showIcon(play, isOn ? 'pause' : state === 'ended' ? 'replay' : 'play')
      play.setAttribute('aria-label', isOn ? t('Pause') : state === 'ended' ? t('Restart') : t('Play'))
      time.textContent = `${clock(playback.time)} / ${clock(duration)}`
      line.show(playback.time)
      speed.textContent = `${playback.speed}x`
      speed.setAttribute('aria-label', `${t('Speed')} ${playback.speed}x`)
      idle.setAttribute('aria-pressed', String(playback.skipIdle))
    },
  }
}

/** A button with a picture; screen readers have its name, the pointer its key too. */
function button(name: IconName, label: string, key: string, onClick: () => void): HTMLButtonElement {
  const element = made('button', 'rp-button')
  element.type = 'button'
  element.setAttribute('aria-label', label)
  element.title = `${label} (${key})`
  element.append(icon(name))
  element.addEventListener('click', onClick)
  return element
}

function showIcon(element: HTMLElement, name: IconName): void {
  if (element.firstElementChild?.getAttribute('data-icon') !== name) element.replaceChildren(icon(name))
}

function fillSpeeds(box: HTMLElement, playback: Playback, close: () => void): HTMLElement | undefined {
  const choices = SPEEDS.map((speed) => {
    const choice = made('button', 'rp-choice', `${speed}x`)
    choice.type = 'button'
    choice.setAttribute('role', 'menuitemradio')
    choice.setAttribute('aria-checked', String(speed === playback.speed))
    choice.addEventListener('click', () => {
      playback.setSpeed(speed)
      close()
    })
    return choice
  })
  box.append(...choices)
  box.onkeydown = (event) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move === undefined) return
    event.preventDefault()
    const at = choices.indexOf(box.ownerDocument.activeElement as HTMLButtonElement)
    choices[(at + move + choices.length) % choices.length]?.focus()
  }
  return choices.find((_, at) => SPEEDS[at] === playback.speed) ?? choices[0]
}

function fillKeys(box: HTMLElement, keys: ReturnType<typeof playerKeys>): undefined {
  const list = made('dl', 'rp-keys')
  for (const { shown, what } of keys) {
    const name = made('dt', '')
    name.append(made('kbd', '', shown))
    list.append(name, made('dd', '', what))
  }
  box.append(list)
}
