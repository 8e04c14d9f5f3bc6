import { UploadIcon } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { Unusable } from './unusable.ts'

const IMAGES = 'image/png,image/jpeg,image/gif,image/webp'
const MAX_BYTES = 1024 * 1024

/**
 * A picture: the address of the stored one, or a file that was chosen and is sent as multipart.
 * Type and size are checked here, for a quick answer; the server checks again.
 */
export function ImageUpload({ value, onChange, disabled, field }: WidgetProps<string | File | Unusable | null>) {
  const input = useRef<HTMLInputElement>(null)
  const accept = field.accept ?? IMAGES
  const maxBytes = field.maxBytes ?? MAX_BYTES
  const preview = useMemo(
    () => (value instanceof File ? URL.createObjectURL(value) : typeof value === 'string' ? value : ''),
    [value],
  )
  useEffect(() => () => URL.revokeObjectURL(preview), [preview])
  const choose = (file: File) => {
    const reason = !accept.split(',').includes(file.type)
      ? t('Choose a picture of one of these types: {{types}}', { types: typeNames(accept) })
      : file.size > maxBytes
        ? t('The picture may have at most {{size}} kB', { size: Math.floor(maxBytes / 1024) })
        : undefined
    onChange?.(reason ? new Unusable(reason) : file)
  }
  return (
    <div className="image-upload">
      {preview !== '' && (
        <img
          src={preview}
          alt={t('Preview')}
          onError={() => {
            if (value instanceof File) onChange?.(new Unusable(t('This file cannot be shown as a picture')))
          }}
        />
      )}
      <div className="widget-row">
        <Button icon={<UploadIcon />} disabled={disabled ?? false} onClick={() => input.current?.click()}>
          {t('Select file')}
        </Button>
        {preview !== '' && field.required !== true && (
          <Button type="text" disabled={disabled ?? false} onClick={() => onChange?.(null)}>
            {t('Remove')}
          </Button>
        )}
        <span className="hint">
          {typeNames(accept)}
          {field.pixels ? ` · ${field.pixels[0]}×${field.pixels[1]}` : ''} · ≤ {Math.floor(maxBytes / 1024)} kB
        </span>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={t('Select file')}
          accept={accept}
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file) choose(file)
            target.value = ''
          }}
        />
      </div>
    </div>
  )
}

/** `image/png,image/x-icon` as people say it: `PNG, ICO`. */
function typeNames(accept: string): string {
  const names = accept
    .split(',')
    .map((type) => (/icon/.test(type) ? 'ICO' : (type.split('/')[1] ?? type).replace('+xml', '').toUpperCase()))
  return [...new Set(names)].join(', ')
}
