import { useEffect, useState } from 'react'
import { lazily } from '../../design/lazily.tsx'
import { ApiError } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import styles from './ChangePreview.module.css'
import { askEffects, type ChangeCall, type ChangeEffects } from './change.ts'

/** Dialogs of every list can ask: it comes when somebody does. */
const Effects = lazily(() => import('./Effects.tsx').then((m) => m.Effects))

/** While somebody types, nothing is asked. */
const PAUSE_MS = 400
type Known = ChangeEffects | { failed: string } | undefined

interface ChangePreviewProps {
  /** The call as it would be sent now; undefined: it would be refused, so there is nothing to show. */
  call: ChangeCall | undefined
}

/**
 * The effects of a change of rights, before it is made: who gains and loses rights, which sessions
 * end. Nobody has to wait for it, and the change can be saved without it.
 */
export function ChangePreview({ call }: ChangePreviewProps) {
  const [known, setKnown] = useState<Known>()
  const asked = JSON.stringify(call ?? null)
  useEffect(() => {
    setKnown(undefined)
    const change = JSON.parse(asked) as ChangeCall | null
    if (!change) return
    const control = new AbortController()
    const { signal } = control
    const timer = setTimeout(() => {
      askEffects(change, signal).then(
        (effects) => signal.aborted || setKnown(effects),
        (error: unknown) => {
          if (!signal.aborted) setKnown({ failed: error instanceof ApiError ? error.message : '' })
        },
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      control.abort()
    }
  }, [asked])
  return (
    <section className={styles.preview} aria-live="polite" aria-busy={call !== undefined && !known}>
      <h3>{t('What this changes')}</h3>
      <Answer call={call} known={known} />
    </section>
  )
}

function Answer({ call, known }: ChangePreviewProps & { known: Known }) {
  if (!call) return <p>{t('Fill in the required fields first.')}</p>
  if (!known) return <p>{t('Looking at what this changes …')}</p>
  if ('failed' in known)
    return <p>{known.failed || t('This cannot be shown at the moment. It can be saved all the same.')}</p>
  return <Effects effects={known} />
}
