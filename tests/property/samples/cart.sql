-- What people want to buy.
CREATE TABLE cart (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, CONSTRAINT c CHECK (id > 0));
CREATE INDEX cart_by_owner ON cart (owner);
CREATE VIEW big AS SELECT owner, count(*) AS n FROM cart JOIN item ON item.cart = cart.id GROUP BY owner;
CREATE OR REPLACE FUNCTION total(c INTEGER) RETURNS INTEGER AS $$ SELECT count(*) FROM item WHERE cart = c; $$ LANGUAGE sql;
CREATE TRIGGER seen AFTER INSERT ON cart FOR EACH ROW EXECUTE FUNCTION note();
INSERT INTO cart VALUES (1, 'x');
