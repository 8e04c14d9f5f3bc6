"""What Python's drivers get from a database, as text: drivers.py DRIVER PORT USER PASSWORD."""
import hashlib
import sys

driver, port, user, password = sys.argv[1:]


def sum_of(rows):
    rows = list(rows)
    return f"{len(rows)} {hashlib.sha256(repr(rows).encode()).hexdigest()}"


def sql(db, errors, binary):
    cursor = db.cursor()
    cursor.execute("DROP TABLE IF EXISTS python_trial")
    cursor.execute(f"CREATE TABLE python_trial (id int primary key, name varchar(100), price decimal(12,3), bytes {binary})")
    rows = [(n, None if n % 7 == 0 else f"名 {n} 'quoted' \\ \a", f"{n}.125", bytes([0, n % 256, 255])) for n in range(2000)]
    cursor.executemany("INSERT INTO python_trial VALUES (%s, %s, %s, %s)", rows)
    db.commit()
    cursor.execute("SELECT id, name, price, bytes FROM python_trial WHERE id >= %s ORDER BY id", (3,))
    print([column[:2] for column in cursor.description], sum_of((r[0], r[1], r[2], bytes(r[3])) for r in cursor.fetchall()))
    for wrong in ["SELECT * FROM nowhere", "SELEC 1", "INSERT INTO python_trial VALUES (1, 'twice', 1, NULL)"]:
        try:
            cursor.execute(wrong)
        except errors as error:
            print(type(error).__name__, error.args)
            db.rollback()
    cursor.execute("DROP TABLE python_trial")
    db.commit()
    db.close()


if driver == "pymysql":
    import pymysql

    sql(
        pymysql.connect(
            host="127.0.0.1", port=int(port), user=user, password=password, database="shop",
            ssl={"check_hostname": False, "verify_mode": "none"},
        ),
        pymysql.Error,
        "blob",
    )
elif driver == "psycopg2":
    import psycopg2

    sql(
        psycopg2.connect(host="127.0.0.1", port=port, user=user, password=password, dbname="shop", sslmode="require"),
        psycopg2.Error,
        "bytea",
    )
else:
    import redis

    db = redis.Redis(port=int(port), username=user, password=password, ssl=True, ssl_cert_reqs=None)
    db.delete("python")
    with db.pipeline() as many:
        for n in range(2000):
            many.hset("python", f"名 {n}", bytes([0, n % 256, 255, 13, 10]))
        print(sum_of(many.execute()))
    print(sum_of(sorted(db.hgetall("python").items())))
    print(sum_of(sorted(db.hscan_iter("python"))))
    for wrong in [("lpush", "python", "x"), ("nosuch", "x"), ("eval", "return redis.error_reply('own words')", 0)]:
        try:
            db.execute_command(*wrong)
        except redis.ResponseError as error:
            print(type(error).__name__, error)
    db.delete("python")
