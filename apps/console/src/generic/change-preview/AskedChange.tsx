import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import { ChangePreview } from './ChangePreview.tsx'
import type { ChangeCall } from './change.ts'

/**
 * The effects of a call on rights: when somebody asks, and from then on as they edit.
 * `call`: the one that would be sent now; undefined: it would be refused.
 */
export function AskedChange({ call }: { call: () => ChangeCall | undefined }) {
  const [isAsked, setAsked] = useState(false)
  if (isAsked) return <ChangePreview call={call()} />
  return (
    <Button type="text" onClick={() => setAsked(true)}>
      {t('What this changes')}
    </Button>
  )
}
