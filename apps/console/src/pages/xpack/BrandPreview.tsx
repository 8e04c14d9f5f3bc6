import { type ReactNode, useEffect, useMemo } from 'react'
import { Mark } from '../../design/Logo.tsx'
import type { FormValues } from '../../generic/view/form-view.ts'
import { t } from '../../lib/i18n.ts'
import styles from './BrandPreview.module.css'

/** Where title and pictures are seen, as they are in the form, before they are saved. */
export function BrandPreview({ values }: { values: FormValues }) {
  const title = String(values.login_title ?? '').trim() || 'Sallyport'
  const icon = useAddress(values.favicon)
  const logo = useAddress(values.logo_index)
  const small = useAddress(values.logo_logout)
  const picture = useAddress(values.login_image)
  const wide = logo ? <img src={logo} alt="" width={125} height={37} /> : <Mark />
  return (
    <aside className={styles.preview} aria-label={t('Preview')}>
      <Place name={t('Sign-in page')}>
        <div className={styles.card}>
          <div>
            <p className={styles.brand}>
              {wide} <b>{title}</b>
            </p>
            <span className={styles.box} />
            <span className={styles.box} />
            <span className={styles.button} />
          </div>
          {picture && <img className={styles.picture} src={picture} alt="" />}
        </div>
      </Place>
      <Place name={t('Menu, open and closed')}>
        <p className={styles.menu}>{wide}</p>
        <p className={styles.menu}>{small ? <img src={small} alt="" width={32} height={32} /> : <Mark />}</p>
      </Place>
      <Place name={t('Browser tab')}>
        <p className={styles.tab}>
          {icon ? <img src={icon} alt="" width={16} height={16} /> : <Mark />}
          <span>{title}</span>
        </p>
      </Place>
    </aside>
  )
}

function Place({ name, children }: { name: string; children: ReactNode }) {
  return (
    <figure>
      <figcaption>{name}</figcaption>
      {children}
    </figure>
  )
}

/** Address of a stored picture or of a chosen file; undefined for none, and for a refused one. */
function useAddress(value: unknown): string | undefined {
  const address = useMemo(
    () => (value instanceof File ? URL.createObjectURL(value) : typeof value === 'string' ? value : ''),
    [value],
  )
  useEffect(() => () => URL.revokeObjectURL(address), [address])
  return address || undefined
}
