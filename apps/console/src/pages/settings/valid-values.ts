import type { FormInstance } from 'antd'
import type { FormValues } from '../../generic/view/form-view.ts'

/**
 * What the form shows, saved or not; undefined when it is not valid, which the form itself says
 * under its fields.
 */
export async function validValues(form: FormInstance<FormValues>): Promise<FormValues | undefined> {
  try {
    await form.validateFields()
  } catch {
    return undefined
  }
  return form.getFieldsValue(true)
}
