import { ChevronRightIcon } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { type FormField, type FormFields, isRequired } from '../view/form-groups.ts'
import type { FormContext, FormValues } from '../view/form-view.ts'
import { isEmpty } from './check-field.ts'

interface FormGroupProps {
  group: FormFields
  /** Those of its fields that are visible now. */
  fields: readonly FormField[]
  initial: FormValues
  context: FormContext
  /** Something is wrong with one of its fields. */
  hasFault: boolean
  children: ReactNode
}

/**
 * A group of fields with its title, and what it is for. One that is seldom wanted stays folded
 * until it is opened, or until something in it is wrong.
 */
export function FormGroup({ group, fields, initial, context, hasFault, children }: FormGroupProps) {
  const [open, setOpen] = useState(() => !group.folded || fields.some((field) => isWanted(field, initial, context)))
  const id = useId()
  if (hasFault && !open) setOpen(true)
  if (!group.title)
    return (
      <section className="form-group plain">
        {group.lead && <p>{t(group.lead)}</p>}
        {children}
      </section>
    )
  if (!group.folded)
    return (
      <fieldset className="form-group" data-group={group.title} aria-labelledby={id}>
        <div className="head">
          <h2 id={id} tabIndex={-1}>
            {t(group.title)}
          </h2>
          {group.lead && <p>{t(group.lead)}</p>}
        </div>
        <div className="fields">{children}</div>
      </fieldset>
    )
  return (
    <fieldset className="form-group folding" data-group={group.title} aria-labelledby={id}>
      <div className="head">
        <h2 id={id} tabIndex={-1}>
          <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
            <ChevronRightIcon />
            {t(group.title)}
          </button>
        </h2>
      </div>
      {open ? (
        <div className="fields">{children}</div>
      ) : (
        <p className="inside">{fields.map(({ label }) => t(label)).join(' · ')}</p>
      )}
    </fieldset>
  )
}

/** Whether a field must be filled, or holds more than what it begins with anyway. */
function isWanted(field: FormField, initial: FormValues, context: FormContext): boolean {
  const value = initial[field.name]
  if (isRequired(field, initial, context) && isEmpty(value)) return true
  if (isEmpty(value) || value === false) return false
  const given = typeof field.initial === 'function' ? undefined : (field.initial ?? field.default)
  return context.mode === 'update' ? value !== given : given !== undefined && value !== given
}
