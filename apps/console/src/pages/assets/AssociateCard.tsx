import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import type { RemoteSelectProps } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { RemoteSelect } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { inRootOrg } from '../../session/session.ts'

interface AssociateCardProps {
  /** Already translated. */
  title: string
  choose: Pick<RemoteSelectProps, 'path' | 'display' | 'query'>
  add: (ids: string[]) => Promise<unknown>
  /** The list that is old afterwards. */
  changed: string
}

/**
 * A select and a button that ties what was chosen to the row of the page; the list beside it shows
 * what is tied already.
 */
export function AssociateCard({ title, choose, add, changed }: AssociateCardProps) {
  const [chosen, setChosen] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const disabled = inRootOrg()
  const save = async () => {
    setBusy(true)
    try {
      await add(chosen)
      setChosen([])
      showSuccess(t('Added'))
      await forget(changed)
    } catch {
      // The call has told the person already; what was chosen stays chosen.
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="panel">
      <h2>{title}</h2>
      <div className="inside">
        <RemoteSelect
          {...choose}
          multiple
          value={chosen}
          disabled={disabled}
          onChange={(value) => setChosen(Array.isArray(value) ? value : [])}
        />
        <Button
          style={{ marginTop: 8 }}
          type="primary"
          disabled={disabled || chosen.length === 0}
          loading={busy}
          onClick={() => void save()}
        >
          {t('Add')}
        </Button>
      </div>
    </section>
  )
}
