import type { AccessKey } from '@sallyport/contract/resources/authentication/access-key.ts'
import { accessKey } from '@sallyport/contract/resources/authentication/access-key.ts'
import { useQuery } from '@tanstack/react-query'
import { Button, Modal } from 'antd'
import { useState } from 'react'
import { api } from '../lib/api.ts'
import { formatDate } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'
import { forget, keys } from '../lib/query.ts'
import { confirmDanger, showSuccess } from './feedback.tsx'

const { path } = accessKey

/** The person's own keys for signed requests (spec A4.04 B9.31); secrets stay covered until they are asked for. */
export function ApiKeysPanel({ onClose }: { onClose: () => void }) {
  const { data } = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<AccessKey[]>(path, { signal }),
  })
  const [working, setWorking] = useState(false)
  const change = async (call: Promise<unknown>, done: string) => {
    setWorking(true)
    try {
      await call
      showSuccess(done)
    } catch {
      // The client has shown why.
    } finally {
      setWorking(false)
      await forget(path)
    }
  }
  return (
    <Modal
      open
      title={t('API Key')}
      width="min(960px, max(60%, 340px))"
      onCancel={onClose}
      footer={
        <>
          <Button type="primary" disabled={working} onClick={() => void change(api.post(path), t('Create success'))}>
            {t('Create')}
          </Button>
          <Button onClick={onClose}>{t('Close')}</Button>
        </>
      }
    >
      <div className="table-box">
        <table className="table">
          <thead>
            <tr>
              {[t('ID'), t('Secret'), t('Active'), t('Date created'), t('Actions@@column')].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data?.map((key) => (
              <tr key={key.id}>
                <td className="api-key">{key.id}</td>
                <td className="api-key">
                  <Secret value={key.secret ?? ''} />
                </td>
                <td>{key.is_active ? t('Yes') : t('No')}</td>
                <td>{formatDate(key.date_created)}</td>
                <td>
                  <span className="row-actions">
                    <button
                      type="button"
                      className="link"
                      disabled={working}
                      onClick={() => void change(api.patch(`${path}${key.id}/`, { is_active: !key.is_active }), t('Update success'))}
                    >
                      {key.is_active ? t('Disable') : t('Enable')}
                    </button>
                    <button
                      type="button"
                      className="link danger"
                      disabled={working}
                      onClick={() =>
                        confirmDanger({
                          content: t('Delete "{{name}}"? This cannot be undone.', { name: key.id }),
                          okText: t('Delete'),
                          onOk: () => change(api.delete(`${path}${key.id}/`), t('Delete success')),
                        })
                      }
                    >
                      {t('Delete')}
                    </button>
                  </span>
                </td>
              </tr>
            ))}
            {data?.length === 0 && (
              <tr className="empty">
                <td colSpan={5}>{t('No data')}</td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </Modal>
  )
}

function Secret({ value }: { value: string }) {
  const [shown, setShown] = useState(false)
  if (shown) return <>{value}</>
  return (
    <button type="button" className="link" onClick={() => setShown(true)}>
      {t('Show')}
    </button>
  )
}
