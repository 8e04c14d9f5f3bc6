import { t } from '../../lib/i18n.ts'

type Recipient = readonly [display: string, hasPassword: boolean]

/** Recipients of a run's file, and people who were only notified. */
function Recipients({ of: recipients }: { of: readonly Recipient[] }) {
  return (
    <ul className="plain-list">
      {recipients.map(([display, hasPassword]) => (
        <li key={display}>
          {display} <span className="quiet">{hasPassword ? t('Attach file') : t('No file encryption password')}</span>
        </li>
      ))}
    </ul>
  )
}

/** The same as an item of a detail page. */
export const recipientsItem = {
  field: 'recipients' as const,
  render: (row: { recipients: unknown }) => {
    const recipients = row.recipients as readonly Recipient[]
    return recipients.length ? <Recipients of={recipients} /> : undefined
  },
}
