// How many threads compute, from what machines and containers say of themselves.
#include "check.h"

#include "engine/base/cpu_topology.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

using namespace inkling;

namespace {

using tree = std::map<std::string, std::string>;

const std::string CPU = "sys/devices/system/cpu/cpu";

constexpr uint64_t GIB = 1ull << 30;

// Files below a folder of its own, which goes with this object.
class machine {
  public:
    explicit machine(const tree & files) {
        static int made = 0;
        root_           = std::filesystem::temp_directory_path() /
                ("inkling-cpus-" + std::to_string(std::rand()) + "-" + std::to_string(++made));
        for (const auto & [name, text] : files) {
            const auto path = root_ / name;
            std::filesystem::create_directories(path.parent_path());
            std::ofstream(path) << text << "\n";
        }
    }
    ~machine() { std::filesystem::remove_all(root_); }
    machine(const machine &)             = delete;
    machine & operator=(const machine &) = delete;

    int32_t threads(int32_t cpus) const { return threads(all_of(cpus)); }
    int32_t threads(const std::vector<int32_t> & allowed) const {
        return threads_for(read_linux_cpus(root_.string(), allowed));
    }
    bool is_stopped_by_quota(int32_t cpus) const {
        return inkling::is_stopped_by_quota(read_linux_cpus(root_.string(), all_of(cpus)));
    }

  private:
    static std::vector<int32_t> all_of(int32_t cpus) {
        std::vector<int32_t> all(static_cast<size_t>(cpus));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }

    std::filesystem::path root_;
};

tree with(tree files, const tree & more) {
    files.insert(more.begin(), more.end());
    return files;
}

// Cores of `threads` logical processors each, numbered one core after the other.
tree cores(int32_t first, int32_t count, int32_t threads) {
    tree files;
    for (int32_t i = 0; i < count * threads; ++i) {
        const int32_t     start = first + i / threads * threads;
        const std::string list =
            threads == 1 ? std::to_string(start) : std::to_string(start) + "-" + std::to_string(start + threads - 1);
        files[CPU + std::to_string(first + i) + "/topology/thread_siblings_list"] = list;
    }
    return files;
}

tree each_says(const std::string & name, const std::vector<std::string> & values) {
    tree files;
    for (size_t i = 0; i < values.size(); ++i) {
        files[CPU + std::to_string(i) + name] = values[i];
    }
    return files;
}

const std::string V2 = "0::/user.slice/app.scope";

} // namespace

TEST("a machine of equal cores uses each core once") {
    CHECK_EQUAL(machine(cores(0, 4, 1)).threads(4), 4);
    CHECK_EQUAL(machine(cores(0, 8, 2)).threads(16), 8);
    // Bound to both threads of one core, and to one each of two.
    CHECK_EQUAL(machine(cores(0, 8, 2)).threads({2, 3}), 1);
    CHECK_EQUAL(machine(cores(0, 8, 2)).threads({2, 4}), 2);
    // A sandbox without /sys counts processors.
    CHECK_EQUAL(machine({}).threads(6), 6);
    CHECK_EQUAL(machine({}).threads(0), 1);
}

TEST("efficiency cores compute nothing") {
    // Core i7-1360P: 4 performance cores of 2 threads, 8 efficiency cores.
    const tree hybrid = with(with(cores(0, 4, 2), cores(8, 8, 1)),
                             {{"sys/devices/cpu_core/cpus", "0-7"}, {"sys/devices/cpu_atom/cpus", "8-15"}});
    CHECK_EQUAL(machine(hybrid).threads(16), 4);
    // Bound to efficiency cores, the process uses them.
    CHECK_EQUAL(machine(hybrid).threads({8, 9, 10}), 3);
    CHECK_EQUAL(machine(hybrid).threads({7, 8, 9}), 1);
    // Snapdragon 8 Gen 1: one, three, four.
    const tree big_little =
        with(cores(0, 8, 1), each_says("/cpu_capacity", {"250", "250", "250", "250", "800", "800", "800", "1024"}));
    CHECK_EQUAL(machine(big_little).threads(8), 4);
    // Ryzen AI 9: four Zen 5 cores and eight Zen 5c, as their frequencies say.
    std::vector<std::string> zen(8, "5157895");
    zen.insert(zen.end(), 16, "3300000");
    CHECK_EQUAL(machine(with(cores(0, 12, 2), each_says("/cpufreq/cpuinfo_max_freq", zen))).threads(24), 4);
    // Cores of one kind, some of which boost higher.
    CHECK_EQUAL(machine(with(cores(0, 4, 1),
                             each_says("/cpufreq/cpuinfo_max_freq", {"5100000", "5300000", "5300000", "4900000"})))
                    .threads(4),
                4);
}

TEST("the quota of the control groups counts, on the whole way up") {
    const tree eight = cores(0, 8, 1);
    const auto group = [&](const tree & files) {
        return machine(with(eight, files)).threads(8);
    };
    const std::string own   = "sys/fs/cgroup/user.slice/app.scope/cpu.max";
    const std::string above = "sys/fs/cgroup/user.slice/cpu.max";
    CHECK_EQUAL(group({{"proc/self/cgroup", V2}, {own, "max 100000"}}), 8);
    CHECK_EQUAL(group({{"proc/self/cgroup", V2}, {own, "200000 100000"}}), 2);
    CHECK_EQUAL(group({{"proc/self/cgroup", V2}, {own, "400000 100000"}, {above, "350000 100000"}}), 3);
    CHECK_EQUAL(group({{"proc/self/cgroup", V2}, {own, "50000 100000"}}), 1);
    CHECK_EQUAL(group({{"proc/self/cgroup", V2}, {own, "9900000 100000"}}), 8);
    // A container sees its own group as the root of the mount.
    CHECK_EQUAL(group({{"proc/self/cgroup", "0::/"}, {"sys/fs/cgroup/cpu.max", "150000 100000"}}), 1);
    CHECK_EQUAL(group({{"proc/self/cgroup", V2}, {"sys/fs/cgroup/cpu.max", "300000 100000"}}), 3);
    // Version 1, by both names of its mount.
    for (const std::string mount : {"cpu", "cpu,cpuacct"}) {
        const std::string folder = "sys/fs/cgroup/" + mount + "/docker/abc/";
        const tree        files  = {{"proc/self/cgroup", "7:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/"},
                                    {folder + "cpu.cfs_period_us", "100000"}};
        CHECK_EQUAL(group(with(files, {{folder + "cpu.cfs_quota_us", "400000"}})), 4);
        CHECK_EQUAL(group(with(files, {{folder + "cpu.cfs_quota_us", "-1"}})), 8);
    }
}

TEST("a quota stops a process if it is smaller than the processors") {
    const auto stops = [](const std::string & quota) {
        return machine({{"proc/self/cgroup", "0::/"}, {"sys/fs/cgroup/cpu.max", quota}}).is_stopped_by_quota(4);
    };
    CHECK(stops("350000 100000"));
    CHECK(stops("50000 100000"));
    CHECK(!stops("400000 100000"));
    CHECK(!stops("max 100000"));
    CHECK(!stops(""));
}

TEST("files that say nothing sensible change nothing") {
    for (const std::string text : {"", "max", "-5 100000", "0 0", "100000", "nan nan", "a b"}) {
        CHECK_EQUAL(machine(with(cores(0, 4, 1), {{"proc/self/cgroup", V2},
                                                  {"sys/fs/cgroup/user.slice/app.scope/cpu.max", text},
                                                  {"sys/devices/cpu_core/cpus", "none"}}))
                        .threads(4),
                    4);
    }
    for (const std::string line : {"0:", "::", "cpu", "4:cpu:nowhere/else", "0::///"}) {
        CHECK_EQUAL(machine(with(cores(0, 4, 1), {{"proc/self/cgroup", line}})).threads(4), 4);
    }
}

TEST("this machine has threads to compute, and beside a GPU at most two") {
    CHECK(default_threads(false, GIB) >= 1);
    CHECK(default_threads(true, GIB) >= 1 && default_threads(true, GIB) <= 2);
    CHECK(default_threads(true, GIB) <= default_threads(false, GIB));
}

TEST("a small model takes no more threads than it gains from") {
    CHECK_EQUAL(useful_threads(16, false, GIB), 16);
    CHECK_EQUAL(useful_threads(16, false, GIB / 32), 8);
    CHECK_EQUAL(useful_threads(4, false, GIB / 32), 4);
    CHECK_EQUAL(useful_threads(16, true, GIB / 32), 2);
}
