import type { ServiceIdentity } from '@sallyport/contract/resources/authentication/service-identity.ts'
import { type ServiceKey, serviceKey } from '@sallyport/contract/resources/authentication/service-key.ts'
import { useMemo } from 'react'
import { confirmDanger, openDialog, showDialog, showSuccess } from '../../../design/dialogs/feedback.tsx'
import { StateCell } from '../../../generic/cells/StateCell.tsx'
import { CopyText } from '../../../generic/detail/CopyText.tsx'
import { DialogForm } from '../../../generic/form/DialogForm.tsx'
import { ResourceTable } from '../../../generic/list/ResourceTable.tsx'
import { definePages } from '../../../generic/view/define-pages.ts'
import type { DetailProps, RowState } from '../../../generic/view/detail-view.ts'
import { api } from '../../../lib/api.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { forget } from '../../../lib/query.ts'
import { addDays } from '../../../lib/time/date-range.ts'
import { inClient } from '../../dialogs.tsx'
import { activeState, validityState } from '../../row-states.ts'

const PATH = serviceKey.path
/** The end of a new key, unless another one is chosen. */
const KEY_DAYS = 365

/** Asks for the name of a new key, makes it, and shows it once. */
export function makeKey({ id, name }: Pick<ServiceIdentity, 'id' | 'name'>, refresh: () => Promise<void>): void {
  openDialog({
    title: t('New key for {{name}}', { name }),
    width: 'min(560px, 94vw)',
    content: (close) =>
      inClient(
        <DialogForm
          path={PATH}
          mode="create"
          fields={['name', { name: 'date_expired', suggest: [90, 365] }]}
          initial={{ date_expired: addDays(new Date(), KEY_DAYS).toISOString() }}
          submitText={t('Make the key')}
          onClose={close}
          save={async (body) => {
            const made = await api.post<ServiceKey>(PATH, { ...(body as object), identity: id }, { quiet: true })
            close()
            showKey(made)
            await Promise.all([forget(PATH), refresh()])
          }}
        />,
      ),
  })
}

function showKey({ name, token }: ServiceKey): void {
  showDialog({
    title: t('Key {{name}}', { name }),
    content: (
      <>
        <p>{t('Store it where the script runs now: it is not shown again.')}</p>
        <p>
          <CopyText text={token ?? ''} label={t('Key value')} />
        </p>
        <p>{t('The script sends it with each request:')}</p>
        <p>
          <CopyText text={`Authorization: Bearer ${token ?? ''}`} label={t('Header')} />
        </p>
      </>
    ),
  })
}

/** Whether it works: one that has expired is not active, too. */
function keyState(row: ServiceKey): RowState {
  const validity = validityState(row)
  return validity?.tone === 'danger' && row.is_active ? validity : activeState(row)
}

async function setActive(row: ServiceKey, is_active: boolean, refresh: () => Promise<void>): Promise<void> {
  await api.patch(`${PATH}${row.id}/`, { is_active })
  showSuccess(t('Saved'))
  await Promise.all([forget(PATH), refresh()])
}

const keyPagesOf = (identity: ServiceIdentity, refresh: () => Promise<void>) =>
  definePages<ServiceKey>(serviceKey, {
    list: {
      columns: [
        'name',
        { field: 'ending', cell: ({ value }) => `…${value}` },
        { field: 'is_active', title: msg('State'), sorter: false, cell: ({ row }) => <StateCell {...keyState(row)} /> },
        'date_last_used',
        'last_addr',
        'date_expired',
        'date_created',
        'created_by',
      ],
      defaultColumns: ['name', 'ending', 'is_active', 'date_last_used', 'last_addr', 'date_expired'],
      none: msg('No key yet: make one for each place where the script runs'),
      hasSearch: false,
      hideSearch: ['identity'],
      hasSelection: false,
      canCreate: false,
      canUpdate: false,
      canClone: false,
      headerActions: [{ name: 'make', title: msg('New key'), primary: true, run: () => makeKey(identity, refresh) }],
      rowActions: [
        {
          name: 'off',
          title: msg('Disable'),
          order: 10,
          has: ({ is_active }) => is_active,
          run: (row) =>
            confirmDanger({
              title: t('Disable the key {{name}}?', { name: row.name }),
              content: t('Scripts that use it are refused at once.'),
              okText: t('Disable'),
              onOk: () => setActive(row, false, refresh),
            }),
        },
        {
          name: 'on',
          title: msg('Activate'),
          order: 10,
          has: ({ is_active }) => !is_active,
          run: (row) => setActive(row, true, refresh),
        },
      ],
    },
  })

/** The keys of a service identity, on its page. */
export function ServiceKeys({ row, refresh }: DetailProps<ServiceIdentity>) {
  const pages = useMemo(() => keyPagesOf(row, refresh), [row, refresh])
  return <ResourceTable pages={pages} base="ServiceKey" inAddress={false} query={{ identity: row.id }} />
}
