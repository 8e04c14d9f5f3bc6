import { application } from '@sallyport/contract/resources/applications/application.ts'
import {
  APPLICATION_TYPES,
  type ApplicationCategory,
  applicationType,
  typesOf,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import type { CascadeChoice, FormContext, FormFieldView, FormValues } from '../../../generic/view/form-view.ts'
import { msg } from '../../../lib/i18n.ts'
import { systemUserWords } from '../../assets/system-user-words.ts'
import { type AccessRequest, BASIC, DATES, fromAddress, suggestionsOf } from './request-form.ts'

/** The category, then the type: one choice in the form, two fields of the ticket. */
const KIND = 'apply_category_type'

const CATEGORIES: readonly { value: ApplicationCategory; label: string }[] = [
  { value: 'db', label: msg('Database@@category') },
  { value: 'cloud', label: msg('Cloud') },
  { value: 'remote_app', label: msg('Remote app') },
]

const KINDS: readonly CascadeChoice[] = CATEGORIES.map(({ value, label }) => ({
  value,
  label,
  children: typesOf(value).map((type) => ({
    value: type,
    // The others are names of products.
    label: type === 'custom' ? msg('Custom') : APPLICATION_TYPES[type].label,
  })),
}))

const typeIn = (values: FormValues): string | undefined => (values[KIND] as string[] | null | undefined)?.[1]

/** The kind of the application that an explanation leads here for. */
const kindInAddress = ({ query }: FormContext) => {
  const [category, type] = [query.get('category'), query.get('type')]
  return category && type ? [category, type] : undefined
}

/** Chosen once it is known of which type. */
const ofType = (
  name: string,
  label: string,
  from: (type: string, org_id: unknown) => NonNullable<FormFieldView['from']>,
): FormFieldView => ({
  name,
  label,
  widget: 'references',
  disabledWhen: (values) => typeIn(values) === undefined,
  depends: (values) => ({ from: from(typeIn(values) ?? '', values.org_id) }),
})

/** What somebody who asks for applications fills in (docs/rules/tickets.md#request_forms). */
export const applicationRequest: AccessRequest = {
  type: 'apply_application',
  groups: [
    BASIC,
    {
      title: msg('Request access'),
      fields: [
        {
          name: KIND,
          label: msg('Type'),
          widget: 'cascader',
          tree: KINDS,
          local: { type: 'choice', required: true },
          initial: kindInAddress,
        },
        {
          ...ofType('apply_applications', msg('Application'), (type, org_id) =>
            suggestionsOf(application.path, org_id, '{name}', { type }),
          ),
          initial: fromAddress('application'),
        },
        {
          ...ofType('apply_system_users', msg('System user'), (type, org_id) =>
            suggestionsOf(systemUser.path, org_id, systemUserWords, {
              protocol: applicationType(type)?.protocol ?? '',
            }),
          ),
          initial: fromAddress('system_user'),
        },
        ...DATES,
      ],
    },
  ],
  toMeta({ [KIND]: kind, ...meta }) {
    const [apply_category, apply_type] = (kind ?? []) as string[]
    return { apply_category, apply_type, ...meta }
  },
  shownAs: { apply_category: KIND, apply_type: KIND },
}
