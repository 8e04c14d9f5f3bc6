/** Paints the updates of a moment, and answers them as a small picture. */
import { bytesOf, DesktopPicture } from './desktop-picture.ts'

interface Wanted {
  n: number
  updates: readonly string[]
  width: number
}

const here = self as unknown as {
  postMessage(message: unknown, transfer: Transferable[]): void
  addEventListener(type: 'message', then: (event: MessageEvent<Wanted>) => void): void
}

here.addEventListener('message', ({ data: { n, updates, width } }) => {
  void paint(updates, width).then(
    (bitmap) => here.postMessage({ n, bitmap }, [bitmap]),
    () => here.postMessage({ n }, []),
  )
})

async function paint(updates: readonly string[], width: number): Promise<ImageBitmap> {
  const picture = new DesktopPicture()
  for (const update of updates) picture.apply(bytesOf(update))
  const whole = new ImageData(picture.data, picture.width, picture.height)
  const resizeHeight = Math.max(1, Math.round((picture.height / picture.width) * width))
  return createImageBitmap(whole, { resizeWidth: width, resizeHeight, resizeQuality: 'medium' })
}
