/** The bar under a recording: its position, its commands, and a pointer that seeks in it. */
import { type Marker, markerNear, mergeMarkers } from '../markers.ts'
import { clock, type Thumbnails } from '../recording.ts'

/** A pointer this near to a marker names it, and a press goes to it. */
const NEAR_PX = 5
/** A pointer rests after this long without a move: pictures of moments that it passes are not loaded. */
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
  const tip = timeTip(element, thumbnails)
  track.append(done, ticks)
  element.append(track, tip.element)
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
    const text = marker ? `${clock(marker.time)}  ${marker.label}` : clock(time)
    tip.show({ text, time: marker?.time ?? time, share: share(time) })
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
      tip.hide()
    })
  element.addEventListener('pointerleave', () => {
    if (!dragging) tip.hide()
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
        ...markers.map(({ time, isDangerous, isFile, keys }) => {
          const kind = isDangerous ? ' rp-tick-danger' : isFile ? ' rp-tick-file' : keys ? ' rp-tick-keys' : ''
          const tick = made('i', `rp-tick${kind}`)
          tick.style.left = `${share(time) * 100}%`
          return tick
        }),
      )
    },
  }
}

/** The words above a time line, with a picture of that moment if the recording has any. */
function timeTip(line: HTMLElement, thumbnails: Thumbnails | undefined) {
  const element = made('div', 'rp-tip')
  const words = made('span', '')
  const small = made('canvas', 'rp-small')
  small.hidden = true
  element.append(small, words)
  element.hidden = true
  let resting: ReturnType<typeof setTimeout> | undefined
  let wanted: number | undefined
  /** Shows the picture of a moment once it is loaded; the last moment counts. */
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
  return {
    element,
    /** @param share its place on the line, of 1 */
    show({ text, time, share }: { text: string; time: number; share: number }) {
      words.textContent = text
      element.hidden = false
      // Inside the player: on a phone the line is narrower than the words.
      const place = () => {
        const half = element.offsetWidth / 2
        const { left, width } = line.getBoundingClientRect()
        const around = (line.closest('.rp') ?? line).getBoundingClientRect()
        const [least, most] = [around.left - left + half, around.left + around.width - left - half]
        element.style.left = `${Math.min(Math.max(share * width, least), Math.max(least, most))}px`
      }
      showSmall(time, place)
      place()
    },
    hide() {
      clearTimeout(resting)
      element.hidden = true
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
