import { t } from '../../lib/i18n.ts'

/** Who got a file of a run, and who was only told. */
function Recipients({ of: recipients }: { of: unknown }) {
  return (
    <ul className="plain-list">
      {(recipients as readonly (readonly [display: string, hasPassword: boolean])[]).map(([display, hasPassword]) => (
        <li key={display}>
          {display}{' '}
          <span className="quiet">{hasPassword ? t('Contain attachment') : t('No file encryption password')}</span>
        </li>
      ))}
    </ul>
  )
}

/** The same as an item of a detail page. */
export const recipientsItem = {
  field: 'recipients' as const,
  render: (row: { recipients: unknown }) => <Recipients of={row.recipients} />,
}
