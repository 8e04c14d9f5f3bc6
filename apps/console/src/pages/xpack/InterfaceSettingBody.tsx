import { useQuery } from '@tanstack/react-query'
import { Form, Input } from 'antd'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { ask, showSuccess } from '../../design/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import type { WidgetProps } from '../../generic/view/form-view.ts'
import { ImageUpload } from '../../generic/widgets/ImageUploadBody.tsx'
import { Unusable } from '../../generic/widgets/unusable.ts'
import { ApiError, api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { ownPictures } from '../../session/start.ts'
import type { PageProps } from '../page-props.ts'

const PATH = '/api/v1/xpack/interface/setting'
const RESTORE = '/api/v1/xpack/interface/restore'
/** What each picture is drawn for, in pixels (contract/xpack.yaml `interface_setting`). */
const PICTURES = [
  { name: 'login_image', label: msg('Image of login page'), pixels: [492, 472] },
  { name: 'favicon', label: msg('Website icon'), pixels: [16, 16] },
  { name: 'logo_index', label: msg('Logo of management page'), pixels: [185, 55] },
  { name: 'logo_logout', label: msg('Logo of logout page'), pixels: [82, 82] },
] as const
const ACCEPT = 'image/png,image/jpeg,image/gif,image/webp,image/x-icon,image/vnd.microsoft.icon'

type Values = { login_title: string } & Record<(typeof PICTURES)[number]['name'], string | File | Unusable>

/**
 * Title and pictures of the installation (spec A2.59). The page is loaded anew after a change:
 * everything on it may look different.
 */
export function InterfaceSettingBody({ title }: PageProps) {
  const stored = useQuery({
    queryKey: [PATH],
    queryFn: async () => ownPictures(await api.get<Record<string, string>>(PATH)) as Values,
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
      {stored.isError && <LoadFailed error={stored.error} onRetry={() => void stored.refetch()} />}
      {stored.isPending && <div className="form panel loading">{t('Loading')}</div>}
      {stored.data && <InterfaceForm stored={stored.data} onRestore={() => void restore()} />}
    </PageFrame>
  )
}

function InterfaceForm({ stored, onRestore }: { stored: Values; onRestore: () => void }) {
  const [form] = Form.useForm<Values>()
  const [busy, setBusy] = useState(false)
  const save = async (values: Values) => {
    setBusy(true)
    const body = new FormData()
    body.append('login_title', values.login_title.trim())
    for (const { name } of PICTURES) if (values[name] instanceof File) body.append(name, values[name])
    try {
      await api.put(PATH, body)
      showSuccess(t('Update success'))
      location.reload()
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : undefined
      if (fields)
        form.setFields(
          Object.entries(fields).map(([name, texts]) => ({
            name: name as keyof Values,
            errors: [texts].flat().map(String),
          })),
        )
      setBusy(false)
    }
  }
  return (
    <Form
      form={form}
      className="form panel"
      labelCol={{ flex: '20%' }}
      wrapperCol={{ flex: 'auto' }}
      labelWrap
      noValidate
      initialValues={stored}
      onFinish={(values) => void save(values)}
    >
      <Form.Item name="login_title" label={t('Title of login page')}>
        <Input maxLength={1024} />
      </Form.Item>
      {PICTURES.map(({ name, label, pixels }) => (
        <Form.Item
          key={name}
          name={name}
          label={t(label)}
          rules={[
            {
              validator: async (_, value) =>
                value instanceof Unusable ? Promise.reject(new Error(value.reason)) : undefined,
            },
          ]}
        >
          <ImageUpload
            field={{ name, label, accept: ACCEPT, pixels, required: true } as unknown as WidgetProps['field']}
            context={{} as WidgetProps['context']}
          />
        </Form.Item>
      ))}
      <div className="form-buttons">
        <Button type="primary" htmlType="submit" loading={busy}>
          {t('Submit')}
        </Button>
        <Button onClick={onRestore}>{t('Restore default')}</Button>
      </div>
    </Form>
  )
}
