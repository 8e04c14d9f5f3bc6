import type { Trial } from '@sallyport/contract/tried.ts'
import { untriedHelp } from '../../lib/tried.ts'
import type { FormFieldView } from './form-view.ts'

/**
 * The field of the kind of a row, which nobody changes: a new one's comes with the address. It says
 * where the product of that kind was not tried itself.
 */
export const kindField = (
  name: string,
  initial: NonNullable<FormFieldView['initial']>,
  trials: Readonly<Record<string, Trial>>,
): FormFieldView => ({
  name,
  widget: 'select',
  initial,
  disabledWhen: () => true,
  depends: (values) => ({ help: untriedHelp(trials[String(values[name])]) }),
})
