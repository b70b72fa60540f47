const std = @import("std");
const store = @import("store.zig");
pub const limit = 10;
/// What a person wants to buy.
pub const Cart = struct {
    items: std.ArrayList([]const u8),
    pub fn init(allocator: std.mem.Allocator) Cart { return .{ .items = std.ArrayList([]const u8).init(allocator) }; }
    pub fn add(self: *Cart, item: []const u8) !void {
        if (self.items.items.len >= limit) return error.Full;
        try self.items.append(store.copy(item));
    }
};
const State = enum { open, done };
fn helper(comptime T: type, x: T) T { while (true) { break; } return x; }
test "adds" { try std.testing.expect(true); }
