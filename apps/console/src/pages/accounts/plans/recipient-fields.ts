import type { FormGroup } from '../../../generic/view/form-view.ts'
import { msg } from '../../../lib/i18n.ts'

/** Recipients of the secrets that a run of a plan has set. */
export const recipientsGroup: FormGroup = {
  title: msg('Recipients'),
  lead: msg(
    'After each run they get its results with the new secrets by mail, in a file under their own file encryption password. Anyone who has not set one is asked to.',
  ),
  fields: ['recipients'],
}
