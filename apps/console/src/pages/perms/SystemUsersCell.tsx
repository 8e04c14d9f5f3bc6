import { useState } from 'react'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

/** Names of the system users that may be used on an asset, asked for when a person wants to see them. */
export function SystemUsersCell({ prefix, asset }: { prefix: string; asset: string }) {
  const [names, setNames] = useState<string>()
  if (names !== undefined) return <span title={names}>{names || t('None')}</span>
  return (
    <button
      type="button"
      className="link"
      onClick={async () => {
        const found = await api.get<{ name: string }[]>(`${prefix}assets/${asset}/system-users/`)
        setNames(found.map(({ name }) => name).join(', '))
      }}
    >
      {t('Show')}
    </button>
  )
}
