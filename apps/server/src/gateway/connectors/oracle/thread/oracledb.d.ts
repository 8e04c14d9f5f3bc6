/** The part of the driver that is used here (node-oracledb.readthedocs.io). */
declare module 'oracledb' {
  export interface DbType {
    name: string
  }
  export interface Metadata {
    name: string
    dbType: DbType
    /** Limit of a value, of texts and bytes. */
    byteSize?: number
  }
  export interface Lob {
    type: DbType
    /** Characters or bytes, from the first, which is 1. */
    getData(offset: number, amount: number): Promise<string | Buffer | null>
    close(): Promise<void>
  }
  export interface ResultSet {
    metaData: readonly Metadata[]
    getRows(count: number): Promise<readonly (readonly unknown[])[]>
    close(): Promise<void>
  }
  export interface Result {
    resultSet?: ResultSet
    implicitResults?: readonly ResultSet[]
    rowsAffected?: number
    warning?: Error
  }
  export interface ExecuteOptions {
    resultSet: boolean
    autoCommit: boolean
    prefetchRows: number
    keepInStmtCache: boolean
    fetchTypeHandler(column: Metadata): { type: DbType } | undefined
  }
  export interface Connection {
    readonly oracleServerVersionString: string
    readonly serviceName: string
    readonly transactionInProgress: boolean
    readonly warning?: Error
    execute(statement: string, values: readonly [], options: ExecuteOptions): Promise<Result>
    changePassword(user: string, old: string, changed: string): Promise<void>
    /** Has the server break off what runs. */
    breakExecution(): Promise<void>
    /** Rolls back what is open. */
    close(): Promise<void>
  }
  const oracledb: {
    STRING: DbType
    DB_TYPE_NUMBER: DbType
    DB_TYPE_BINARY_INTEGER: DbType
    DB_TYPE_BINARY_DOUBLE: DbType
    DB_TYPE_BINARY_FLOAT: DbType
    DB_TYPE_DATE: DbType
    DB_TYPE_TIMESTAMP: DbType
    DB_TYPE_TIMESTAMP_TZ: DbType
    DB_TYPE_TIMESTAMP_LTZ: DbType
    DB_TYPE_RAW: DbType
    DB_TYPE_LONG: DbType
    DB_TYPE_LONG_RAW: DbType
    getConnection(options: {
      user: string
      password: string
      connectString: string
      stmtCacheSize: number
      program: string
      osUser: string
    }): Promise<Connection>
  }
  export default oracledb
}

declare module 'oracledb/lib/impl/datahandlers/buffer.js' {
  /** How the driver reads what the server sends. */
  export const BaseBuffer: {
    prototype: {
      parseOracleDate(
        this: { caps?: { dbTzOffset: number | null } },
        bytes: Buffer,
        isLocal: boolean,
        isOfDatabase?: boolean,
      ): unknown
    }
  }
}
