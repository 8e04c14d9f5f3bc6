import './form-body.css'
import { t } from '../../lib/i18n.ts'
import type { FormGroup } from '../view/form-view.ts'

/** Keeps the place of a form whose fields are still asked for, in its shape. */
export function FormSkeleton({ groups }: { groups: readonly FormGroup[] }) {
  return (
    <div className="form waiting" role="status" aria-label={t('Loading')}>
      {groups.map(({ title, lead, fields }) => (
        <section className={title ? 'form-group' : 'form-group plain'} key={title}>
          {title ? (
            <div className="head">
              <h2>{t(title)}</h2>
              {lead && <p>{t(lead)}</p>}
            </div>
          ) : (
            lead && <p>{t(lead)}</p>
          )}
          <div className="fields">
            {namesAtOnce(fields).map((name) => (
              <div className="form-field" key={name}>
                <span className="label">
                  <span className="skeleton-line" />
                </span>
                <span className="select-ghost" />
                <div className="note" />
              </div>
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}

/** Fields that show whatever is chosen. */
const namesAtOnce = (fields: FormGroup['fields']): string[] =>
  fields.flatMap((field) => (typeof field === 'string' ? field : field.visibleWhen ? [] : field.name))
