/**
 * The bar under a recording: where it is, where commands were given, and a finger or pointer that
 * goes elsewhere.
 */
import { type Marker, markerNear, mergeMarkers } from './markers.ts'
import { clock, type Thumbnails } from './recording.ts'

/** How near a marker must be to be named, and to be where a press goes. */
const NEAR_PX = 5
/** A pointer that moves no more for so long rests: what it passes over is not looked at. */
const RESTS_MS = 100

export interface TimeLine {
  element: HTMLElement
  show: (time: number) => void
  mark: (markers: readonly Marker[]) => void
}

export function timeLine(
  label: string,
  duration: number,
  onSeek: (time: number) => void,
  thumbnails?: Thumbnails,
): TimeLine {
  const element = made('div', 'rp-line')
  const track = made('div', 'rp-track')
  const done = made('div', 'rp-done')
  const ticks = made('div', 'rp-ticks')
  const tip = made('div', 'rp-tip')
  const words = made('span', '')
  const small = made('canvas', 'rp-small')
  small.hidden = true
  tip.append(small, words)
  tip.hidden = true
  let resting: ReturnType<typeof setTimeout> | undefined
  let wanted: number | undefined
  /** The picture of a moment, as soon as it is there; the last moment counts. */
  const showSmall = (time: number, onShown: () => void) => {
    clearTimeout(resting)
    if (!thumbnails) return
    const number = thumbnails.numberAt(time)
    if (number === wanted && !small.hidden) return
    wanted = number
    small.hidden = true
    resting = setTimeout(async () => {
      const picture = await thumbnails.at(time)
      if (wanted !== number || !picture) return
      Object.assign(small, { width: picture.width, height: picture.height, hidden: false })
      small.getContext('2d')?.drawImage(picture, 0, 0)
      onShown()
    }, RESTS_MS)
  }
  track.append(done, ticks)
  element.append(track, tip)
  element.tabIndex = 0
  for (const [name, value] of Object.entries({
    role: 'slider',
    'aria-label': label,
    'aria-valuemin': '0',
    'aria-valuemax': String(Math.ceil(duration)),
  }))
    element.setAttribute(name, value)

  let markers: readonly Marker[] = []
  const share = (time: number) => (duration > 0 ? Math.min(time / duration, 1) : 0)
  const placeAt = (event: PointerEvent): { time: number; marker: Marker | undefined } => {
    const { left, width } = track.getBoundingClientRect()
    if (width === 0) return { time: 0, marker: undefined }
    const time = Math.min(Math.max((event.clientX - left) / width, 0), 1) * duration
    return { time, marker: markerNear(markers, time, (NEAR_PX / width) * duration) }
  }
  const showTip = (event: PointerEvent) => {
    const { time, marker } = placeAt(event)
    words.textContent = marker ? `${clock(marker.time)}  ${marker.label}` : clock(time)
    tip.hidden = false
    // Inside of the player: on a phone the line is narrower than words.
    const place = () => {
      const half = tip.offsetWidth / 2
      const line = element.getBoundingClientRect()
      const around = (element.closest('.rp') ?? element).getBoundingClientRect()
      const [least, most] = [around.left - line.left + half, around.left + around.width - line.left - half]
      tip.style.left = `${Math.min(Math.max(share(time) * line.width, least), Math.max(least, most))}px`
    }
    showSmall(marker?.time ?? time, place)
    place()
  }
  const hideTip = () => {
    clearTimeout(resting)
    tip.hidden = true
  }
  let dragging = false
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    dragging = true
    element.setPointerCapture(event.pointerId)
    showTip(event)
    const { time, marker } = placeAt(event)
    onSeek(marker?.time ?? time)
  })
  element.addEventListener('pointermove', (event) => {
    showTip(event)
    if (dragging && event.movementX !== 0) onSeek(placeAt(event).time)
  })
  for (const end of ['pointerup', 'pointercancel'])
    element.addEventListener(end, () => {
      dragging = false
      hideTip()
    })
  element.addEventListener('pointerleave', () => {
    if (!dragging) hideTip()
  })
  return {
    element,
    show(time) {
      done.style.width = `${share(time) * 100}%`
      element.setAttribute('aria-valuenow', String(Math.floor(time)))
      element.setAttribute('aria-valuetext', clock(time))
    },
    mark(all) {
      markers = mergeMarkers(all, duration)
      ticks.replaceChildren(
        ...markers.map(({ time, isDangerous, keys }) => {
          const kind = isDangerous ? ' rp-tick-danger' : keys ? ' rp-tick-keys' : ''
          const tick = made('i', `rp-tick${kind}`)
          tick.style.left = `${share(time) * 100}%`
          return tick
        }),
      )
    },
  }
}

/** An element of a class. */
export function made<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  text = '',
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  return element
}
