import { visibleName } from '@sallyport/contract/names.ts'
import { useEffect, useState } from 'react'
import { Dialog } from '../../../design/dialogs/Dialog.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { sizeText } from '../folder/entries.ts'
import { contentAddress, readStart } from '../folder/files-api.ts'
import { nameOf } from '../folder/paths.ts'
import { type DecodedText, decodeText, pictureType } from './decode-text.ts'

const TEXT_BYTES = 256 * 1024
/** Larger pictures are not shown; the API gives no more. */
const PICTURE_BYTES = 10 * 1024 * 1024
/** Enough to know a picture by. */
const PICTURE_NAME = /\.(png|jpe?g|gif|bmp|ico|webp|avif)$/i

type Shown =
  | { kind: 'text'; text: DecodedText; isCut: boolean }
  | { kind: 'picture'; address: string }
  | { kind: 'nothing'; why: string }

/**
 * A look at a file: the start of a text, or a picture. Markup is shown as text; nothing of a
 * machine is run.
 */
export function PreviewDialog({ path, size, onClose }: { path: string; size: number; onClose: () => void }) {
  const [shown, setShown] = useState<Shown>()
  useEffect(() => {
    let address: string | undefined
    let isGone = false
    look(path, size).then(
      (found) => {
        if (found.kind === 'picture') address = found.address
        if (isGone && address) URL.revokeObjectURL(address)
        else setShown(found)
      },
      (error: unknown) => setShown({ kind: 'nothing', why: errorText(error) }),
    )
    return () => {
      isGone = true
      if (address) URL.revokeObjectURL(address)
    }
  }, [path, size])
  return (
    <Dialog
      className="fm-preview"
      width={960}
      title={visibleName(nameOf(path))}
      onClose={onClose}
      foot={
        <a className="button" href={contentAddress(path)} download>
          {t('Download')}
        </a>
      }
    >
      {!shown && <Skeleton lines={8} />}
      {shown?.kind === 'text' && (
        <>
          <p className="fm-note">
            {t('Encoding: {{encoding}}', { encoding: shown.text.encoding })}
            {shown.isCut &&
              ` · ${t('The first {{part}} of {{size}}', { part: sizeText(TEXT_BYTES), size: sizeText(size) })}`}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys must be able to scroll it */}
          <pre tabIndex={0}>{shown.text.text}</pre>
        </>
      )}
      {shown?.kind === 'picture' && (
        <img
          src={shown.address}
          alt={nameOf(path)}
          onError={() => setShown({ kind: 'nothing', why: t('The picture is damaged.') })}
        />
      )}
      {shown?.kind === 'nothing' && <p role="alert">{shown.why}</p>}
    </Dialog>
  )
}

async function look(path: string, size: number): Promise<Shown> {
  const mayBePicture = PICTURE_NAME.test(path) && size <= PICTURE_BYTES
  const bytes = await readStart(path, mayBePicture ? PICTURE_BYTES : TEXT_BYTES)
  const type = pictureType(bytes)
  if (type && mayBePicture)
    return { kind: 'picture', address: URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type })) }
  if (type && PICTURE_NAME.test(path))
    return {
      kind: 'nothing',
      why: t('This picture is too large to be shown: {{size}} at most.', { size: sizeText(PICTURE_BYTES) }),
    }
  const isCut = size > TEXT_BYTES
  const text = decodeText(bytes.subarray(0, TEXT_BYTES), { isCut })
  return text
    ? { kind: 'text', text, isCut }
    : { kind: 'nothing', why: t('This is not a text file. Download it to open it.') }
}
