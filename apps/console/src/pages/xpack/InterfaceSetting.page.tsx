import { PERMISSION } from '@sallyport/contract/access.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { ask, showSuccess } from '../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { FormSkeleton } from '../../generic/form/FormSkeleton.tsx'
import { LazyForm } from '../../generic/form/lazy-form.ts'
import { formGroups } from '../../generic/view/form-groups.ts'
import type { FormContext, FormValues, WidgetProps } from '../../generic/view/form-view.ts'
import { ImageUpload } from '../../generic/widgets/ImageUpload.tsx'
import type { Unusable } from '../../generic/widgets/unusable.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { ownPictures } from '../../session/start.ts'
import type { PageProps } from '../page-props.ts'
import styles from './BrandPreview.module.css'
import { BrandPreview } from './BrandPreview.tsx'

export const routes = places({
  name: 'InterfaceSetting',
  menu: 'xpack',
  order: 10,
  title: msg('Interface settings'),
  path: '/xpack/interface-setting',
  bits: PERMISSION.super,
  license: true,
})

const PATH = '/api/v1/xpack/interface/setting'
const RESTORE = '/api/v1/xpack/interface/restore'
/** What each picture is drawn for, in pixels (docs/rules/xpack.md#interface_setting). */
const PICTURES = [
  { name: 'login_image', label: msg('Image of login page'), pixels: [492, 472] },
  { name: 'favicon', label: msg('Website icon'), pixels: [16, 16] },
  { name: 'logo_index', label: msg('Logo of management page'), pixels: [185, 55] },
  { name: 'logo_logout', label: msg('Logo of logout page'), pixels: [82, 82] },
] as const
const ACCEPT = 'image/png,image/jpeg,image/gif,image/webp,image/x-icon,image/vnd.microsoft.icon'

/**
 * Title and pictures of the installation (A2.59). The page is loaded again after a change:
 * everything on it may look different.
 */
export function InterfaceSetting({ title }: PageProps) {
  const stored = useQuery({
    queryKey: [PATH],
    queryFn: async () => ownPictures(await api.get<Record<string, string>>(PATH, { quiet: true })) as FormValues,
    gcTime: 0,
  })
  const restore = async () => {
    const sure = await ask({
      title: t('Restore default'),
      content: t('The title and all pictures become those that are built in.'),
      okText: t('Confirm'),
    })
    if (!sure) return
    const { success } = await api.get<{ success: string }>(RESTORE)
    showSuccess(success)
    location.reload()
  }
  return (
    <PageFrame title={title}>
      {stored.isLoadingError && <LoadFailed error={stored.error} onRetry={() => void stored.refetch()} />}
      {stored.isPending && <FormSkeleton groups={GROUPS} />}
      {stored.data && <InterfaceForm stored={stored.data} onRestore={() => void restore()} />}
    </PageFrame>
  )
}

/** One picture takes the place of another; there is always one. */
const Picture = ({ field, ...props }: WidgetProps<string | File | Unusable | null>) => (
  <ImageUpload {...props} field={{ ...field, required: true }} />
)

const GROUPS = formGroups(
  {
    groups: [
      {
        title: '',
        fields: [
          { name: 'login_title', label: msg('Title of login page'), local: { type: 'string', max_length: 1024 } },
          ...PICTURES.map(({ name, label, pixels }) => ({
            name,
            label,
            pixels,
            accept: ACCEPT,
            widget: Picture,
            local: { type: 'string' },
          })),
        ],
      },
    ],
  },
  {},
)
const CONTEXT: FormContext = { mode: 'create', row: undefined, query: new URLSearchParams() }

function InterfaceForm({ stored, onRestore }: { stored: FormValues; onRestore: () => void }) {
  const save = async (values: unknown) => {
    const { login_title, ...pictures } = values as FormValues
    const body = new FormData()
    body.append('login_title', String(login_title ?? ''))
    for (const [name, picture] of Object.entries(pictures)) if (picture instanceof File) body.append(name, picture)
    await api.put(PATH, body)
    showSuccess(t('Saved'))
    location.reload()
    return 'leaving' as const
  }
  const [values, setValues] = useState(stored)
  return (
    <div className={styles.branding}>
      <LazyForm
        groups={GROUPS}
        initial={stored}
        context={CONTEXT}
        view={{}}
        save={save}
        onValues={setValues}
        extraButtons={<Button onClick={onRestore}>{t('Restore default')}</Button>}
      />
      <BrandPreview values={values} />
    </div>
  )
}

export const pages = { InterfaceSetting }
