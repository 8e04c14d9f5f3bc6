/** What recordings of desktops are played on: a canvas as large as the box allows. */
import { bytesOf, DesktopPicture } from './desktop-picture.ts'
import { kept } from './kept.ts'
import type { Stage } from './playback-screen.ts'
import type { Recording, Thumbnails } from './recording.ts'

/** One event from the next, in the text that is played. */
const END = '\n'
/** Wider than any that the line shows. */
const THUMBNAIL_WIDTH = 240
/** A hundred kilobytes each. */
const KEPT_THUMBNAILS = 64

/** The same recording, of which every event is an update of RFB in base64. */
export function desktopRecording(recording: Recording): Recording {
  const piece = async (n: number) =>
    (await recording.piece(n)).map((event) => ({ ...event, data: `${event.data}${END}` }))
  return {
    ...recording,
    piece,
    // Every piece begins with a whole picture.
    screen: async () => '',
    openStage: openDesktopStage,
  }
}

function openDesktopStage(box: HTMLElement): Stage {
  const canvas = document.createElement('canvas')
  canvas.className = 'rp-desktop'
  box.append(canvas)
  const context = canvas.getContext('2d')
  const picture = new DesktopPicture()
  let asked = 0
  const draw = () => {
    asked = 0
    const { width, height, data } = picture
    if (!width || !height) return
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    context?.putImageData(new ImageData(data, width, height), 0, 0)
  }
  return {
    reset: () => {},
    write(text) {
      for (const update of text.split(END)) if (update) picture.apply(bytesOf(update))
      asked ||= requestAnimationFrame(draw)
    },
    resize: () => {},
    // It is painted at once.
    backlog: () => 0,
    fit: () => {},
    dispose() {
      cancelAnimationFrame(asked)
      canvas.remove()
    },
  }
}

/**
 * Small pictures of moments: the whole one that the piece of a moment begins with, painted in a
 * worker, so that the player is not held up.
 */
export function thumbnails(
  recording: Recording,
  numberAt: (seconds: number) => number,
): Thumbnails & { close: () => void } {
  const worker = new Worker(new URL('./thumbnail-worker.ts', import.meta.url), { type: 'module' })
  const answers = new Map<number, (bitmap: ImageBitmap | undefined) => void>()
  worker.addEventListener('message', ({ data }: MessageEvent<{ n: number; bitmap?: ImageBitmap }>) => {
    answers.get(data.n)?.(data.bitmap)
    answers.delete(data.n)
  })
  const make = async (n: number) => {
    const events = await (recording.glance ?? recording.piece)(n)
    const first = events[0]?.time ?? 0
    // A recording of the same moment is the whole picture; a second holds it where it came late.
    const updates = events.filter(({ time }) => time <= first + 1).map(({ data }) => data.trimEnd())
    return new Promise<ImageBitmap>((resolve, reject) => {
      answers.set(n, (bitmap) => (bitmap ? resolve(bitmap) : reject(new Error('no picture'))))
      worker.postMessage({ n, updates, width: THUMBNAIL_WIDTH })
    })
  }
  const picture = kept(make, KEPT_THUMBNAILS)
  return {
    numberAt,
    at: (seconds) => picture(numberAt(seconds)).catch(() => undefined),
    close: () => worker.terminate(),
  }
}
