/**
 * People who also belong to an organization that the viewer does not administer: only their roles
 * and groups here are the viewer's to change; the server refuses the rest.
 */
import type { User } from '@sallyport/contract/resources/users/user.ts'
import type { Allowed } from '../../generic/view/actions.ts'
import type { FormContext, FormFieldView, FormGroup } from '../../generic/view/form-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { isManaged, managedHelp } from './from-outside/managed.ts'

const WHY = msg('This person also belongs to an organization that you do not administer')

/** Whether the viewer may change what a person is everywhere, or why not. */
export const mayChangePerson = (row: User): Allowed => (row.belongs_elsewhere ? t(WHY) : mayUpdatePerson(row))

/** A service identity has a page of its own for that. */
const mayHere = ({ source }: User): Allowed =>
  source !== 'service' || t('This is a service identity: change it under Service identities')

/** The server has said so. */
export const mayUpdatePerson = (row: User): Allowed =>
  row.can_update ? mayHere(row) : t('You have no permission to change this user')
export const mayDeletePerson = (row: User): Allowed =>
  row.can_delete ? mayHere(row) : t('You have no permission to delete this user')

export const isShared = ({ mode, row }: FormContext): boolean => mode === 'update' && row?.belongs_elsewhere === true

const OF_THE_ORGANIZATION = ['groups', 'org_roles']
const OF_THE_PROVIDER = ['name', 'username', 'email']

/** The form with everything greyed out that the viewer may not change of such a person, and why. */
export const guardShared = (groups: readonly FormGroup[]): FormGroup[] =>
  groups.map(({ title, fields }) => ({ title, fields: fields.map(guardField) }))

function guardField(written: string | FormFieldView): string | FormFieldView {
  const field = typeof written === 'string' ? { name: written } : written
  if (OF_THE_ORGANIZATION.includes(field.name)) return written
  return {
    ...field,
    disabledWhen: (values, context) =>
      isShared(context) ||
      (OF_THE_PROVIDER.includes(field.name) && isManaged(context)) ||
      field.disabledWhen?.(values, context) === true,
    ...(field.name === 'name'
      ? { depends: (_values, context) => (isShared(context) ? { help: WHY } : managedHelp(context)) }
      : {}),
  }
}
