/** People and groups that a provider keeps by SCIM: their names and members are changed there. */
import type { FormContext } from '../../../generic/view/form-view.ts'
import { t } from '../../../lib/i18n.ts'

const providerOf = ({ mode, row }: FormContext): string => (mode === 'update' ? String(row?.managed_by ?? '') : '')

export const isManaged = (context: FormContext): boolean => providerOf(context) !== ''

/** Help under a field that is changed at the provider; none for people and groups of here. */
export const managedHelp = (context: FormContext): { help?: string } =>
  isManaged(context)
    ? { help: t('Comes from {{provider}} and is changed there', { provider: providerOf(context) }) }
    : {}
