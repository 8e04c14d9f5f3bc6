import { type SshAuthority, sshAuthority } from '@sallyport/contract/resources/assets/ssh-authority.ts'
import { confirmDanger } from '../../design/dialogs/feedback.tsx'
import { Status, type Tone } from '../../design/Status.tsx'
import type { ActionContext } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'

export const routes = resourcePlaces('SshAuthority', {
  menu: 'assets',
  order: 80,
  path: '/assets/ssh-authorities',
  titles: {
    List: msg('SSH certificates'),
    Create: msg('Create the next version'),
    Update: msg('Update authority'),
    Detail: msg('Authority detail'),
  },
})

const TONES: Record<SshAuthority['state'], Tone> = { current: 'good', retiring: 'warning', retired: 'quiet' }
const wordsOf = (state: SshAuthority['state']): string =>
  ({ current: t('Current'), retiring: t('Still trusted'), retired: t('Retired') })[state]

function retire({ id, version }: SshAuthority, { refresh }: ActionContext): void {
  confirmDanger({
    title: t('Retire version {{version}}?', { version }),
    content: t(
      'Its key is deleted. Machines that do not trust the current version yet let nobody in by certificate any more. Push the system users once more, so that machines forget it.',
    ),
    okText: t('Retire'),
    onOk: async () => {
      await api.post(`${sshAuthority.path}${id}/retire/`)
      await refresh()
    },
  })
}

const canRetire = ({ state }: SshAuthority) => state === 'retiring'

export const pages = {
  SshAuthority: definePages<SshAuthority>(sshAuthority, {
    list: {
      lead: msg(
        'System users that sign in by certificate need no stored secret: machines trust this authority, and each login gets a certificate for minutes.',
      ),
      none: msg('No authority yet: it is made with the first system user that signs in by certificate'),
      columns: [
        { field: 'version', width: 100 },
        {
          field: 'state',
          width: 140,
          cell: ({ row }) => <Status tone={TONES[row.state]}>{wordsOf(row.state)}</Status>,
        },
        'fingerprint',
        { field: 'assets_amount', title: msg('Assets that took it last'), align: 'right' },
        'source_addresses',
        'date_created',
        'date_retired',
        'comment',
        'org_name',
      ],
      defaultColumns: ['version', 'state', 'fingerprint', 'assets_amount', 'date_created', 'comment'],
      linkColumn: 'version',
      minColumns: ['version'],
      hasSelection: false,
      canClone: false,
      rowActions: [{ name: 'retire', title: msg('Retire'), order: 30, danger: true, has: canRetire, run: retire }],
    },
    form: {
      groups: [{ title: msg('Basic'), fields: ['source_addresses', 'comment'] }],
      method: 'PATCH',
    },
    detail: {
      title: (row) => t('Version {{version}}', { version: row.version }),
      states: (row) => [{ tone: TONES[row.state], words: wordsOf(row.state) }],
      fields: [
        'version',
        { field: 'public_key', copy: true },
        { field: 'fingerprint', copy: true },
        { field: 'assets_amount', title: msg('Assets that took it last') },
        'source_addresses',
        'date_retired',
        'comment',
      ],
      quickActions: [
        {
          name: 'retire',
          title: msg('Machines trust the current version'),
          button: msg('Retire'),
          has: canRetire,
          run: retire,
        },
      ],
    },
  }),
}
