import { type SecretSource, secretSource } from '@sallyport/contract/resources/assets/secret-source.ts'
import { TRIED } from '@sallyport/contract/tried.ts'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormValues } from '../../generic/view/form-view.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { untriedHelp } from '../../lib/tried.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { askWith } from '../dialogs.tsx'

export const routes = resourcePlaces('SecretSource', {
  menu: 'accounts',
  order: 80,
  path: '/accounts/secret-sources',
  titles: {
    List: msg('Secret sources'),
    Create: msg('Create secret source'),
    Update: msg('Update secret source'),
    Detail: msg('Secret source detail'),
  },
})

/** Signs in, and looks for a secret where one is named; nothing of it is shown. */
async function testSource(row: SecretSource): Promise<void> {
  const wanted = { path: '', field: '' }
  const part = (name: keyof typeof wanted, label: string) => (
    <p>
      <label htmlFor={`source-${name}`}>{label}</label>
      <Input id={`source-${name}`} onChange={(text) => (wanted[name] = text)} />
    </p>
  )
  const content = (
    <>
      <p>{t('Sallyport signs in to the source. Name a secret to see that it is found; it is not shown.')}</p>
      {part('path', t('Path of the secret'))}
      {part('field', t('Field of the secret'))}
    </>
  )
  if (!(await askWith(t('Test the secret source'), content, t('Test')))) return
  const { path, field } = wanted
  await api.post(`${secretSource.path}${row.id}/test/`, path ? { path, field } : {})
  showSuccess(t('The test succeeded'))
}

const isVault = ({ kind }: FormValues) => kind !== 'http'
const byToken = (values: FormValues) => !isVault(values) || values.authentication !== 'approle'
const byRole = (values: FormValues) => !byToken(values)

/** Stores of secrets outside (docs/secret-sources.md). */
export const secretSourcePages = definePages<SecretSource>(secretSource, {
  list: {
    columns: [
      'name',
      'kind',
      'address',
      'authentication',
      { field: 'accounts_amount', title: msg('Accounts@@field'), align: 'right' },
      'date_created',
      'comment',
    ],
    defaultColumns: ['name', 'kind', 'address', 'accounts_amount', 'comment'],
    lead: msg('Accounts take their secret from there when somebody connects. Nothing of it is stored here.'),
    none: msg('No secret source yet: secrets of all accounts are kept here'),
    hasSelection: false,
    canClone: false,
    rowActions: [{ name: 'test', title: msg('Test'), run: (row) => testSource(row).catch(() => {}) }],
  },
  form: {
    groups: [
      {
        title: msg('Basic'),
        fields: [
          'name',
          {
            name: 'kind',
            depends: ({ kind }) => {
              const help = untriedHelp(TRIED.secrets[kind as keyof typeof TRIED.secrets])
              return help ? { help } : {}
            },
            onChange: (kind) => (kind === 'http' ? { authentication: 'token' } : undefined),
          },
          'address',
          { name: 'engine', visibleWhen: isVault },
          { name: 'namespace', visibleWhen: isVault },
          'ca_certificate',
          'timeout',
        ],
      },
      {
        title: msg('Authentication'),
        lead: msg('Let it read what accounts need and nothing else: administrators here can use all that it reads.'),
        fields: [
          { name: 'authentication', visibleWhen: isVault, keepHidden: true },
          { name: 'token', widget: 'password', visibleWhen: byToken },
          { name: 'role_id', visibleWhen: byRole, required: byRole },
          { name: 'secret_id', widget: 'password', visibleWhen: byRole },
        ],
      },
      { title: msg('Other'), folded: true, fields: ['comment'] },
    ],
    method: 'PATCH',
  },
  detail: {
    lead: (row) => [row.address, t('{{count|account|accounts}}', { count: row.accounts_amount ?? 0 })],
    fields: ['kind', 'address', 'engine', 'namespace', 'authentication', 'timeout', 'comment'],
    quickActions: [{ name: 'test', title: msg('Test'), run: (row) => testSource(row).catch(() => {}) }],
  },
})

export const pages = { SecretSource: secretSourcePages }
