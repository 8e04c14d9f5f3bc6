import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import type { FormContext, FormFieldView, FormGroup, FormValues, FormView } from '../../generic/view/form-view.ts'
import { msg } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { systemUserWords } from './system-user-words.ts'

const DATABASES = ['mysql', 'oracle', 'postgresql', 'mariadb', 'sqlserver', 'redis']
/** Protocols of which an identity may have no name. */
const NAMELESS = ['vnc', 'redis', 'k8s']

/** The protocol of a new identity comes with the address; a stored one keeps its own. */
function protocolOf({ row, query }: FormContext): string {
  const asked = row?.protocol ?? query.get('protocol') ?? 'ssh'
  return String(asked) in (systemUser.fields.protocol.choices as object) ? String(asked) : 'ssh'
}

const isAdminType = ({ row, query }: FormContext): boolean => (row?.type ?? query.get('type')) === 'admin'

const when =
  (...protocols: string[]) =>
  (_values: FormValues, context: FormContext) =>
    protocols.includes(protocolOf(context))
const common = (_values: FormValues, context: FormContext) => !isAdminType(context)
const automatic = (values: FormValues, context: FormContext) =>
  values.login_mode !== 'manual' && protocolOf(context) !== 'k8s'
const mayBeCertified = (values: FormValues, context: FormContext) =>
  automatic(values, context) && protocolOf(context) === 'ssh' && values.su_enabled !== true
const isCertified = (values: FormValues, context: FormContext) =>
  mayBeCertified(values, context) && values.by_certificate === true
const withSecret = (values: FormValues, context: FormContext) =>
  automatic(values, context) && !isCertified(values, context)
const withKey = (values: FormValues, context: FormContext) =>
  withSecret(values, context) && protocolOf(context) === 'ssh'
const isOutside = ({ secret_source, login_mode }: FormValues) => Boolean(secret_source) && login_mode !== 'manual'
const isStored =
  (shown: (values: FormValues, context: FormContext) => boolean) => (values: FormValues, context: FormContext) =>
    !isOutside(values) && shown(values, context)
const mayBePushed = (values: FormValues, context: FormContext) =>
  common(values, context) && automatic(values, context) && !isOutside(values) && protocolOf(context) === 'ssh'
const isPushed = (values: FormValues, context: FormContext) => mayBePushed(values, context) && values.auto_push === true
const isPushedByName = (values: FormValues, context: FormContext) =>
  isPushed(values, context) && values.username_same_with_user !== true
const mayBeSwitchedTo = (values: FormValues, context: FormContext) =>
  common(values, context) && protocolOf(context) === 'ssh' && !isCertified(values, context)
const mayBeDynamic = (values: FormValues, context: FormContext) =>
  common(values, context) && !DATABASES.includes(protocolOf(context)) && protocolOf(context) !== 'k8s'

const username: FormFieldView = {
  name: 'username',
  visibleWhen: (_values, context) => protocolOf(context) !== 'k8s',
  required: (values, context) =>
    isAdminType(context) ||
    (!NAMELESS.includes(protocolOf(context)) &&
      values.login_mode !== 'manual' &&
      values.username_same_with_user !== true),
  disabledWhen: (values) => values.username_same_with_user === true,
}

const GROUPS: readonly FormGroup[] = [
  {
    title: msg('Basic'),
    fields: [
      'name',
      { name: 'protocol', widget: 'select', initial: protocolOf, disabledWhen: () => true },
      username,
      {
        name: 'username_same_with_user',
        help: msg('People log in with their own username.'),
        initial: false,
        visibleWhen: mayBeDynamic,
        disabledWhen: (_values, { mode }) => mode === 'update',
        onChange: (value) => (value === true ? { username: '' } : undefined),
      },
    ],
  },
  {
    title: msg('Authentication'),
    fields: [
      {
        name: 'login_mode',
        initial: 'auto',
        visibleWhen: (values, context) => common(values, context) && protocolOf(context) !== 'k8s',
        help: msg('Ask each time: the password is asked for at each connection; nothing is stored.'),
      },
      {
        name: 'by_certificate',
        initial: false,
        help: msg(
          'No stored secret is used, nor those of its accounts on assets. Push it, so that machines trust the authority of this organization.',
        ),
        visibleWhen: isStored(mayBeCertified),
      },
      {
        name: 'secret_source',
        visibleWhen: (values, context) => values.login_mode !== 'manual' && !isCertified(values, context),
        help: msg('The secret is fetched from there at each connection. None: it is stored here.'),
        onChange: (value) => (value ? { password: '', auto_push: false, by_certificate: false } : undefined),
      },
      { name: 'secret_path', visibleWhen: isOutside, required: () => true },
      { name: 'secret_field', visibleWhen: isOutside, required: () => true },
      { name: 'password', visibleWhen: isStored(withSecret) },
      { name: 'private_key', widget: 'key-file', visibleWhen: isStored(withKey) },
      { name: 'passphrase', visibleWhen: isStored(withKey) },
      { name: 'ad_domain', visibleWhen: when('rdp') },
      {
        name: 'token',
        widget: 'textarea',
        visibleWhen: isStored(when('k8s')),
        required: (_values, { mode }) => mode === 'create',
      },
    ],
  },
  {
    title: msg('On assets'),
    fields: [
      {
        name: 'auto_push',
        help: msg(
          'On each asset that is linked to it, the account is made by itself: with password, key, groups and sudo rules. Saving brings it up to date there.',
        ),
        initial: false,
        visibleWhen: mayBePushed,
      },
      { name: 'sudo', initial: '/bin/whoami', visibleWhen: isPushed },
      { name: 'shell', initial: '/bin/bash', visibleWhen: isPushed },
      { name: 'home', visibleWhen: isPushedByName },
      { name: 'system_groups', visibleWhen: isPushedByName },
    ],
  },
  {
    title: msg('Switch user'),
    fields: [
      {
        name: 'su_enabled',
        initial: false,
        help: msg('Another system user logs in, and switches to this one by su with its password.'),
        visibleWhen: mayBeSwitchedTo,
      },
      {
        name: 'su_from',
        from: { path: `${systemUser.path}su-from/`, display: systemUserWords },
        visibleWhen: (values, context) => mayBeSwitchedTo(values, context) && values.su_enabled === true,
        required: () => true,
      },
    ],
  },
  { title: msg('Other'), folded: true, fields: [{ name: 'priority', initial: 81 }, 'comment'] },
]

/**
 * One form for all protocols; what a protocol does not have is hidden
 * (docs/rules/assets.md#system_user).
 */
export const systemUserForm: FormView = {
  groups: GROUPS,
  // PUT would set back what the protocol's form does not show.
  method: 'PATCH',
  toBody: (values, context) =>
    context.mode === 'create'
      ? { auto_push: false, ...values, type: isAdminType(context) ? 'admin' : 'common' }
      : values,
  next: (_saved, context) => systemUserList(isAdminType(context)),
}

/** The list's tab of common or admin users. */
export function systemUserList(admin: boolean): string {
  return `${addressOf('SystemUserList') ?? '/'}?activeTab=${admin ? 'AdminUserList' : 'CommonUserList'}`
}
